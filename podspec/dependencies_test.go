package podspec_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/podspec"
)

func unmarshal(data []byte, into *map[string]any) error { return utiljson.Unmarshal(data, into) }

// names returns "Kind/name" of each dependency of the spec, which is YAML.
func names(t *testing.T, spec string) []string {
	t.Helper()
	refs, err := podspec.Dependencies(map[string]any{"spec": decode(t, spec)}, "shop")
	require.NoError(t, err)
	out := []string{}
	for _, ref := range refs {
		assert.Equal(t, "v1", ref.APIVersion)
		assert.Equal(t, "shop", ref.Namespace)
		assert.Nil(t, ref.LabelSelector)
		out = append(out, ref.Kind+"/"+ref.Name)
	}
	return out
}

func TestDependencies(t *testing.T) {
	for _, tc := range []struct {
		reason, spec string
		want         []string
	}{
		{"nothing", `{}`, []string{}},
		{"the default service account is everywhere", `{serviceAccountName: default}`, []string{}},
		{"no service account", `{serviceAccountName: ""}`, []string{}},
		{"a service account by its older name", `{serviceAccount: old}`, []string{"ServiceAccount/old"}},
		{"the newer name counts", `{serviceAccount: old, serviceAccountName: new}`, []string{"ServiceAccount/new"}},
		{"empty names name nothing", `{imagePullSecrets: [{name: ""}, {}, null], volumes: [{name: v, configMap: {}}, {name: w, secret: {secretName: ""}}]}`, []string{}},
		{
			"containers of every sort, env and envFrom",
			`{containers: [{env: [{name: a, value: b}, {name: c, valueFrom: {configMapKeyRef: {name: c1}}}], envFrom: [{configMapRef: {name: c2}}, {secretRef: {name: s2}}]}],
			  initContainers: [{env: [{name: c, valueFrom: {secretKeyRef: {name: s3}}}]}], ephemeralContainers: [{envFrom: [{configMapRef: {name: c4}}]}]}`,
			[]string{"ConfigMap/c1", "ConfigMap/c2", "ConfigMap/c4", "Secret/s2", "Secret/s3"},
		},
		{"an optional reference counts", `{containers: [{envFrom: [{secretRef: {name: s, optional: true}}]}]}`, []string{"Secret/s"}},
		{
			"projected sources; tokens and the downward API name nothing",
			`{volumes: [{projected: {sources: [{configMap: {name: c}}, {secret: {name: s}}, {serviceAccountToken: {path: t}}, {downwardAPI: {}}]}}]}`,
			[]string{"ConfigMap/c", "Secret/s"},
		},
		{
			"each once, sorted by kind and name",
			`{imagePullSecrets: [{name: z}, {name: a}], volumes: [{secret: {secretName: z}}, {persistentVolumeClaim: {claimName: d}}, {csi: {nodePublishSecretRef: {name: a}}}]}`,
			[]string{"PersistentVolumeClaim/d", "Secret/a", "Secret/z"},
		},
		{"a claim made from a template belongs to the pod", `{volumes: [{ephemeral: {volumeClaimTemplate: {spec: {}}}}]}`, []string{}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			assert.Equal(t, tc.want, names(t, tc.spec))
		})
	}
}

func TestDependenciesForms(t *testing.T) {
	template := decode(t, `{spec: {serviceAccountName: robot}}`)
	plain, err := podspec.DependenciesValue(template, "shop")
	require.NoError(t, err)
	assert.Equal(t, []any{map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "namespace": "shop", "name": "robot"}}, plain)
	plain, err = podspec.DependenciesValue(template, "")
	require.NoError(t, err)
	assert.Equal(t, []any{map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "name": "robot"}}, plain, "no namespace, no field")
	plain, err = podspec.DependenciesValue(nil, "shop")
	require.NoError(t, err)
	assert.Equal(t, []any{}, plain, "an empty list, not null")
	refs, err := podspec.Dependencies(nil, "shop")
	require.NoError(t, err)
	assert.NotNil(t, refs)
	assert.Empty(t, refs)
}

func TestDependencyErrors(t *testing.T) {
	for _, tc := range []struct{ reason, template, want string }{
		{"a spec that is text", `{spec: x}`, `spec: want an object, got "x"`},
		{"env that is text", `{spec: {containers: [{env: x}]}}`, `spec.containers[0].env: want a list, got "x"`},
		{"a key reference of the wrong shape", `{spec: {containers: [{env: [{}, {valueFrom: {secretKeyRef: {name: [a]}}}]}]}}`, `spec.containers[0].env[1].valueFrom.secretKeyRef.name: want a string, got a list`},
		{"a config map reference of the wrong shape", `{spec: {initContainers: [{env: [{valueFrom: {configMapKeyRef: c}}]}]}}`, `spec.initContainers[0].env[0].valueFrom.configMapKeyRef: want an object, got "c"`},
		{"a volume of the wrong shape", `{spec: {volumes: [{cephfs: {secretRef: s}}]}}`, `spec.volumes[0].cephfs.secretRef: want an object, got "s"`},
		{"a projected source of the wrong shape", `{spec: {volumes: [{projected: {sources: [{secret: {name: 1}}]}}]}}`, `spec.volumes[0].projected.sources[0].secret.name: want a string, got 1`},
		{"a pull secret of the wrong shape", `{spec: {imagePullSecrets: [s]}}`, `spec.imagePullSecrets[0]: want an object, got "s"`},
		{"a service account of the wrong shape", `{spec: {serviceAccountName: 1}}`, `spec.serviceAccountName: want a string, got 1`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			template := decode(t, tc.template)
			refs, err := podspec.Dependencies(template, "shop")
			assert.Nil(t, refs)
			require.EqualError(t, err, tc.want)
			_, err = podspec.DependenciesValue(template, "shop")
			require.EqualError(t, err, tc.want)
		})
	}
}

// TestDependenciesAreComplete fills every field of Kubernetes' pod spec that names a Secret, ConfigMap, claim or service
// account, whichever volume or container it is in, and wants each to be found.
func TestDependenciesAreComplete(t *testing.T) {
	var spec corev1.PodSpec
	f := filler{}
	f.fill(reflect.ValueOf(&spec).Elem(), "spec")
	require.Greater(t, len(f.names), 25, "the walk found too few fields to mean anything")

	plain, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&spec)
	require.NoError(t, err)
	refs, err := podspec.SpecDependencies(plain, "shop")
	require.NoError(t, err)
	var got []string
	for _, ref := range refs {
		got = append(got, ref.Name)
	}
	slices.Sort(f.names)
	slices.Sort(got)
	assert.Equal(t, f.names, got)
}

// filler gives every reference a name of its own, which is its path.
type filler struct{ names []string }

// nameFields are the fields that hold the name, by the type they are in; LocalObjectReference is where most are.
var nameFields = map[string][]string{
	"PodSpec":                           {"ServiceAccountName"},
	"SecretVolumeSource":                {"SecretName"},
	"AzureFileVolumeSource":             {"SecretName"},
	"PersistentVolumeClaimVolumeSource": {"ClaimName"},
	"LocalObjectReference":              {"Name"},
	"SecretReference":                   {"Name"},
}

func (f *filler) fill(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type().Elem().PkgPath() != reflect.TypeFor[corev1.PodSpec]().PkgPath() {
			return
		}
		if v.Type().Elem() == reflect.TypeFor[corev1.EphemeralVolumeSource]() {
			return // its claim is made from a template
		}
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), path)
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), path)
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			inner := path
			if name := field.Name; !field.Anonymous {
				inner += "." + strings.ToLower(name)
			}
			if slices.Contains(nameFields[v.Type().Name()], field.Name) {
				v.Field(i).SetString(path)
				f.names = append(f.names, path)
				continue
			}
			f.fill(v.Field(i), inner)
		}
	}
}
