package builtin_test

import (
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/interpreter"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// recorded returns the objects that a real control plane's controllers wrote, by file name. Each is as if it were made from
// the first generation of a template.
func recorded(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob("testdata/recorded/*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(files), 30, "too few recorded objects to mean anything")
	out := map[string]*unstructured.Unstructured{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		o := object(t, string(data))
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations["resourcetemplate.karmada.io/generation"] = "1"
		o.SetAnnotations(annotations)
		out[filepath.Base(file)] = o
	}
	return out
}

// TestRecorded compares the answers about the recorded objects with golden files. The members of AggregateStatus are two
// that both have the object.
func TestRecorded(t *testing.T) {
	for name, o := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			answers := map[string]any{}
			for _, op := range interpreter.Operations() {
				req := &interpreter.Request{Operation: op.Operation, Object: o, ObservedObject: o, DesiredReplicas: 7}
				if op.Takes(interpreter.InputItems) {
					req.Object = builtin.Prune(o)
					req.Object.SetGeneration(1)
					collected, err := interpreter.Client{Interpreter: chain}.InterpretStatus(t.Context(), o)
					require.NoError(t, err)
					req.AggregatedStatus = []interpreter.StatusItem{
						{ClusterName: "member1", Status: collected}, {ClusterName: "member2", Status: collected},
					}
				}
				hold(t, req)
				resp, err := ask(t, req)
				if errors.Is(err, interpreter.ErrNotHandled) {
					continue
				}
				require.NoError(t, err, "a real object is understood by every operation that its kind has")
				switch op.Operation {
				case interpreter.Retain:
					assert.Equal(t, o, resp.Object, "what is as desired stays as it is")
				case interpreter.ReviseReplica:
					assert.Equal(t, []string{"spec.replicas = 7"}, changes("", o.Object, resp.Object.Object, renamed))
				case interpreter.AggregateStatus:
					answers[string(op.Operation)] = resp.Object.Object["status"]
				default:
					outputs, err := cases.Outputs(op.Operation, resp)
					require.NoError(t, err)
					for _, output := range outputs {
						answers[output.Name] = output.Value
					}
				}
			}
			got, err := yaml.Marshal(answers)
			require.NoError(t, err)
			file := "testdata/answers/" + name
			if *update {
				require.NoError(t, os.WriteFile(file, got, 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "run the test with -update")
			assert.Equal(t, string(want), string(got))
		})
	}
}

// renamed makes the number of a Job's pods comparable with that of the other kinds.
var renamed = map[string]string{"spec.parallelism": "spec.replicas"}

// changes lists the scalars that differ between two objects as "path = value in b".
func changes(path string, a, b any, renamed map[string]string) []string {
	m, isMap := a.(map[string]any)
	n, also := b.(map[string]any)
	if !isMap || !also {
		if assert.ObjectsAreEqual(a, b) {
			return nil
		}
		if other, ok := renamed[path]; ok {
			path = other
		}
		text, err := yaml.Marshal(b)
		if err != nil {
			return []string{err.Error()}
		}
		return []string{path + " = " + strings.TrimSpace(string(text))}
	}
	var out []string
	keys := slices.AppendSeq(slices.Collect(maps.Keys(m)), maps.Keys(n))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		out = append(out, changes(strings.TrimPrefix(path+"."+key, "."), m[key], n[key], renamed)...)
	}
	return out
}

// names are the fields that are maps from names that users choose; what is in them is no field.
var names = []string{
	"annotations", "capacity", "data", "disruptedPods", "fieldsV1", "hard", "labels", "limits", "matchLabels", "nodeSelector",
	"requests", "selector", "used",
}

// withComing adds a field of a coming version to every object in v.
func withComing(v any, parent string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, inner := range v {
			if slices.Contains(names, key) {
				out[key] = inner
			} else {
				out[key] = withComing(inner, key)
			}
		}
		if parent != "apiVersion" {
			out["comingField"] = map[string]any{"map": map[string]any{}, "list": []any{}, "nothing": nil, "big": int64(1)<<53 + 1}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = withComing(inner, parent)
		}
		return out
	default:
		return v
	}
}

// TestComingFieldsSurvive adds fields that this version does not know to recorded objects: an operation that returns an
// object must return it with them, and otherwise answer as if they were not there.
func TestComingFieldsSurvive(t *testing.T) {
	for name, o := range recorded(t) {
		coming := &unstructured.Unstructured{Object: withComing(o.Object, "").(map[string]any)}
		t.Run(name, func(t *testing.T) {
			for _, op := range interpreter.Operations() {
				question := func(o *unstructured.Unstructured) *interpreter.Request {
					status, _ := o.Object["status"].(map[string]any)
					return &interpreter.Request{
						Operation: op.Operation, Object: o, ObservedObject: o, DesiredReplicas: 7,
						AggregatedStatus: []interpreter.StatusItem{{ClusterName: "member1", Status: status}},
					}
				}
				want, err := ask(t, question(o))
				if errors.Is(err, interpreter.ErrNotHandled) {
					continue
				}
				require.NoError(t, err)
				got, err := ask(t, question(coming))
				require.NoError(t, err, op.Operation)
				switch op.Operation {
				case interpreter.ReviseReplica, interpreter.Retain:
					assert.Equal(t, withComing(want.Object.Object, ""), got.Object.Object, op.Operation)
				case interpreter.AggregateStatus:
					for _, field := range []string{"metadata", "spec", "comingField"} {
						assert.Equal(t, coming.Object[field], got.Object.Object[field], "%s: %s", op.Operation, field)
					}
				case interpreter.InterpretStatus:
				default:
					assert.Equal(t, want, got, op.Operation)
				}
			}
			pruned := builtin.Prune(coming).Object
			delete(pruned, "comingField")
			metadata, _ := pruned["metadata"].(map[string]any)
			assert.Contains(t, metadata, "comingField")
			delete(metadata, "comingField")
			for key, part := range builtin.Prune(o).Object {
				if key == "metadata" || slices.Contains(names, key) {
					assert.Equal(t, part, pruned[key])
					continue
				}
				assert.Equal(t, withComing(part, key), pruned[key])
			}
		})
	}
}
