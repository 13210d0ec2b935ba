package builtin_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/interpreter"
)

// TestVolumeDependenciesAreComplete fills every field of Kubernetes' volume spec that names a Secret, and wants each to be
// found.
func TestVolumeDependenciesAreComplete(t *testing.T) {
	volume := corev1.PersistentVolume{}
	var names []string
	var fill func(v reflect.Value, path string)
	fill = func(v reflect.Value, path string) {
		switch {
		case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), path)
		case v.Kind() == reflect.Struct:
			for field, inner := range v.Fields() {
				name := path + "." + strings.ToLower(field.Name)
				switch {
				case field.Name == "ClaimRef":
				case field.Name == "SecretName" || field.Name == "Name" && strings.HasSuffix(path, "secretref"):
					inner.SetString(path)
					names = append(names, path)
				default:
					fill(inner, name)
				}
			}
		}
	}
	fill(reflect.ValueOf(&volume.Spec.PersistentVolumeSource).Elem(), "")
	require.Greater(t, len(names), 10, "the walk found too few fields to mean anything")

	plain, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&volume)
	require.NoError(t, err)
	plain["apiVersion"], plain["kind"] = "v1", "PersistentVolume"
	refs, err := interpreter.Client{Interpreter: chain}.InterpretDependency(t.Context(), &unstructured.Unstructured{Object: plain})
	require.NoError(t, err)
	var got []string
	for _, ref := range refs {
		got = append(got, ref.Name)
	}
	slices.Sort(names)
	slices.Sort(got)
	assert.Equal(t, names, got)
}
