package work

import (
	"context"
	"errors"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// retain returns the manifest with what the member owns taken from observed: what belongs to every object, and what
// the interpreter says of the kind.
func (c *Controller) retain(ctx context.Context, manifest, observed *unstructured.Unstructured, cluster string) (*unstructured.Unstructured, error) {
	desired := manifest.DeepCopy()
	desired.SetResourceVersion(observed.GetResourceVersion())
	desired.SetUID(observed.GetUID())
	desired.SetFinalizers(observed.GetFinalizers())
	desired.SetOwnerReferences(observed.GetOwnerReferences())
	labels := retainKeys(desired.GetLabels(), observed.GetLabels(), observed.GetAnnotations()[workv1alpha2.ManagedLabels])
	annotations := retainKeys(desired.GetAnnotations(), observed.GetAnnotations(), observed.GetAnnotations()[workv1alpha2.ManagedAnnotations])
	desired.SetLabels(labels)
	desired.SetAnnotations(annotations)

	retained, err := c.Interpreter.Retain(ctx, desired, observed, interpreter.Placement{Cluster: cluster})
	if errors.Is(err, interpreter.ErrNotHandled) {
		return desired, nil
	}
	return retained, err
}

// retainKeys returns desired with the keys that only observed has, but for those that came with an earlier manifest,
// which managed lists.
func retainKeys(desired, observed map[string]string, managed string) map[string]string {
	came := map[string]bool{}
	for key := range strings.SplitSeq(managed, ",") {
		came[key] = true
	}
	out := maps.Clone(desired)
	for k, v := range observed {
		if _, ok := out[k]; ok || came[k] {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[k] = v
	}
	return out
}

// contains tells whether observed has everything that desired has, status apart: what the member's API server added by
// default does not count.
func contains(observed, desired map[string]any) bool {
	for k, v := range desired {
		if k != "status" && !containsValue(observed[k], v) {
			return false
		}
	}
	return true
}

func containsValue(observed, desired any) bool {
	switch d := desired.(type) {
	case map[string]any:
		o, ok := observed.(map[string]any)
		if !ok {
			return len(d) == 0 && observed == nil
		}
		for k, v := range d {
			if !containsValue(o[k], v) {
				return false
			}
		}
		return true
	case []any:
		o, ok := observed.([]any)
		if !ok {
			return len(d) == 0 && observed == nil
		}
		if len(o) != len(d) {
			return false
		}
		for i := range d {
			if !containsValue(o[i], d[i]) {
				return false
			}
		}
		return true
	default:
		return equality.Semantic.DeepEqual(observed, desired)
	}
}
