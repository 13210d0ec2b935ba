package laws

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/dragoman-io/dragoman/interpreter"
)

func dependsWrongly(_ *trial, in inputs, a *answer) string {
	if !a.ok() {
		return ""
	}
	refs := a.response.Dependencies
	if err := interpreter.ValidateDependencies(refs); err != nil {
		return err.Error()
	}
	object := in.object()
	metadata, _ := object["metadata"].(map[string]any)
	for i, ref := range refs {
		if ref.Name != "" && ref.APIVersion == object["apiVersion"] && ref.Kind == object["kind"] &&
			ref.Name == metadata["name"] && (ref.Namespace == "" || ref.Namespace == metadata["namespace"]) {
			return fmt.Sprintf("dependencies[%d]: %s %s is the object itself", i, ref.Kind, ref.Name)
		}
	}
	sorted := interpreter.SortDependencies(slices.Clone(refs))
	if len(sorted) < len(refs) {
		return fmt.Sprintf("%d dependencies are there twice", len(refs)-len(sorted))
	}
	if !equality.Semantic.DeepEqual(sorted, refs) {
		return "the dependencies are not sorted"
	}
	return ""
}
