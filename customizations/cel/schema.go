package cel

import "github.com/dragoman-io/dragoman/customizations/script"

// Schema is script.Schema.
type Schema = script.Schema

// NewSchema is script.NewSchema.
func NewSchema(openAPI map[string]any, definitions func(ref string) map[string]any) *Schema {
	return script.NewSchema(openAPI, definitions)
}
