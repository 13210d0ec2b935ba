package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/yaml"
)

const outputFormats = "yaml, json, jsonpath=..., go-template=..."

// outputVersion is the apiVersion of what -o prints.
const outputVersion = "cli.dragoman.io/v1alpha1"

func addOutputFlag(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVarP(output, "output", "o", "", "output format: "+outputFormats+" (default text)")
	registerCompletion(cmd, "output", []string{"yaml", "json", "jsonpath=", "go-template="})
}

// printValue writes a plain value in the given format, as one document.
func printValue(w io.Writer, format string, value map[string]any) error {
	name, template, hasTemplate := strings.Cut(format, "=")
	object := &unstructured.Unstructured{Object: value}
	switch {
	case format == "json":
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	case format == "yaml":
		data, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	case name == "jsonpath" && hasTemplate:
		printer, err := printers.NewJSONPathPrinter(template)
		if err != nil {
			return unusablef("--output: %w", err)
		}
		return unusable(printer.PrintObj(object, w))
	case name == "go-template" && hasTemplate:
		printer, err := printers.NewGoTemplatePrinter([]byte(template))
		if err != nil {
			return unusablef("--output: %w", err)
		}
		return unusable(printer.PrintObj(object, w))
	}
	return badOutput(format)
}

func badOutput(format string) error {
	return unusablef("--output: want one of %s, got %q", outputFormats, format)
}

// checkOutput tells early that a format is none.
func checkOutput(format string) error {
	name, _, hasTemplate := strings.Cut(format, "=")
	switch {
	case format == "", format == "json", format == "yaml", hasTemplate && (name == "jsonpath" || name == "go-template"):
		return nil
	}
	return badOutput(format)
}

// toYAML returns a plain value as YAML with a newline at the end.
func toYAML(value any) (string, error) {
	data, err := yaml.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("print: %w", err)
	}
	return string(data), nil
}
