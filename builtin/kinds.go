package builtin

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/interpreter"
)

// kinds is the table of the kinds that have rules. It is never written to.
var kinds = [...]*kind{
	&deployment, &replicaSet, &statefulSet, &daemonSet,
	&job, &cronJob,
	&pod, &service, &serviceAccount, &secret, &persistentVolume, &persistentVolumeClaim,
	&ingress,
	&podDisruptionBudget,
	&horizontalPodAutoscaler,
	&serviceImport,
}

// lookup returns the kind gvk, or nil.
func lookup(gvk schema.GroupVersionKind) *kind {
	for _, k := range kinds {
		if k.gvk == gvk {
			return k
		}
	}
	return nil
}

// Interpreter answers for Kubernetes' own kinds. Its zero value is ready.
type Interpreter struct{}

var (
	_ interpreter.Interpreter = Interpreter{}
	_ interpreter.Explainer   = Interpreter{}
)

// Lookup returns the rule for op on objects of kind gvk, or nil. A version of a kind that is not in the table has no rules.
func (Interpreter) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	k := lookup(gvk)
	if k == nil {
		return nil
	}
	return traced(k.rule(op), k)
}

// traced returns a rule of owner's as one that tells the trace of its context that it answers. Nil stays nil.
func traced(rule interpreter.Rule, owner interface{ source() interpreter.Source }) interpreter.Rule {
	if rule == nil {
		return nil
	}
	return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		resp, err := rule(ctx, req)
		if t := interpreter.TraceOf(ctx); t != nil && t.Answered != nil {
			t.Answered(owner.source(), err)
		}
		return resp, err
	}
}

func (k *kind) source() interpreter.Source {
	return interpreter.Source{Link: "builtin", Name: k.gvk.Kind, Language: "go"}
}

// Explain names the kind whose rule Lookup returns.
func (Interpreter) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	k := lookup(gvk)
	if k == nil || k.rule(op) == nil {
		return nil
	}
	return []interpreter.Source{k.source()}
}

// Kinds returns the kinds that have rules, in the order of the documentation.
func Kinds() []schema.GroupVersionKind {
	out := make([]schema.GroupVersionKind, len(kinds))
	for i, k := range kinds {
		out[i] = k.gvk
	}
	return out
}

// PodTemplatePaths returns where objects of kind gvk keep their pod templates: for each the names of the fields that lead
// to it. An empty path is the object itself, as for a Pod. It is nil for a kind that has none, or that is not known.
func PodTemplatePaths(gvk schema.GroupVersionKind) [][]string {
	k := lookup(gvk)
	if k == nil || k.templates == nil {
		return nil
	}
	out := make([][]string, len(k.templates))
	for i, path := range k.templates {
		out[i] = slices.Clone(path)
	}
	return out
}
