package main

import (
	"context"

	"github.com/dragoman-io/dragoman/admission"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/openapi"
)

// readSchemas returns the schemas in the CustomResourceDefinitions that names stand for, and those of Kubernetes' own kinds.
func readSchemas(ctx context.Context, files *reader, names []string) (admission.Schemas, error) {
	snapshot, err := openapi.Load()
	if err != nil {
		return nil, err
	}
	schemas := admission.Schemas{}
	if len(names) > 0 {
		definitions, err := files.read(ctx, names...)
		if err != nil {
			return nil, err
		}
		if schemas, err = admission.ReadSchemas(admissionFiles(definitions)...); err != nil {
			return nil, unusablef("--crd: %w", err)
		}
	}
	for _, gvk := range snapshot.Kinds() {
		if schemas[gvk] == nil {
			schemas[gvk] = script.NewSchema(snapshot.Schema(gvk), snapshot.Definition)
		}
	}
	return schemas, nil
}
