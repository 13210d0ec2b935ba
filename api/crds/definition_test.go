package crds

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// The API server must take every definition: structural, defaults valid, CEL rules compiled and within the limits that
// it puts on their estimated cost.
func TestDefinitionsAreValid(t *testing.T) {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	definitions, err := All()
	require.NoError(t, err)
	require.NotEmpty(t, definitions)
	for _, definition := range definitions {
		t.Run(definition.Name, func(t *testing.T) {
			scheme.Default(definition)
			definition.Status.StoredVersions = []string{definition.Spec.Versions[0].Name}
			var internal apiextensions.CustomResourceDefinition
			require.NoError(t, scheme.Convert(definition, &internal, nil))
			for _, err := range crdvalidation.ValidateCustomResourceDefinition(t.Context(), &internal) {
				t.Error(err)
			}
		})
	}
}

// The CEL rules must use nothing that the oldest supported control plane does not have.
func TestRulesCompileOnOldestControlPlane(t *testing.T) {
	oldest := environment.MustBaseEnvSet(version.MajorMinor(1, 31))
	definitions, err := All()
	require.NoError(t, err)
	rules := 0
	for _, definition := range definitions {
		for _, v := range definition.Spec.Versions {
			structural, _, err := structure(v)
			require.NoError(t, err)
			atRoot := true
			visitor := structuralschema.Visitor{Structural: func(s *structuralschema.Structural) bool {
				results, err := cel.Compile(s, model.SchemaDeclType(s, atRoot), celconfig.PerCallLimit, oldest, cel.NewExpressionsEnvLoader())
				atRoot = false
				assert.NoError(t, err)
				for i, result := range results {
					rules++
					assert.Nil(t, result.Error, "%s: %s", definition.Name, s.XValidations[i].Rule)
				}
				return false
			}}
			visitor.Visit(structural)
		}
	}
	assert.Greater(t, rules, 10)
}

func TestObjectsHaveNoStatus(t *testing.T) {
	definitions, err := All()
	require.NoError(t, err)
	objects, err := Objects()
	require.NoError(t, err)
	require.Len(t, objects, len(definitions))
	for i, object := range objects {
		assert.Equal(t, definitions[i].Name, object.GetName())
		assert.Equal(t, "CustomResourceDefinition", object.GetKind())
		assert.NotContains(t, object.Object, "status")
	}
}

func TestGetNamesWhatIsMissing(t *testing.T) {
	_, err := Get("gateways.example.com")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestNewSchemaRefuses(t *testing.T) {
	definition, err := Get("resourceinterpretercustomizations.config.karmada.io")
	require.NoError(t, err)
	_, err = NewSchema(definition, "v1")
	require.EqualError(t, err, `CustomResourceDefinition resourceinterpretercustomizations.config.karmada.io: no version "v1"`)

	definition.Spec.Versions[0].Schema = nil
	_, err = NewSchema(definition, "v1alpha1")
	require.EqualError(t, err, `CustomResourceDefinition resourceinterpretercustomizations.config.karmada.io: version v1alpha1: no schema.openAPIV3Schema`)
}

func TestMissing(t *testing.T) {
	const name = "resourceinterpretercustomizations.config.karmada.io"
	target := func(d *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.JSONSchemaProps {
		spec := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		target := spec.Properties["target"]
		return &target
	}
	preserve := true
	for _, tc := range []struct {
		reason string
		change func(served *apiextensionsv1.CustomResourceDefinition)
		want   []string
	}{
		{
			"the same definition keeps everything",
			func(*apiextensionsv1.CustomResourceDefinition) {},
			nil,
		}, {
			"the peer's definition has no labelled targets",
			func(served *apiextensionsv1.CustomResourceDefinition) {
				delete(target(served).Properties, "labelSelector")
			},
			[]string{"v1alpha1 .spec.target.labelSelector"},
		}, {
			"items of lists are looked at",
			func(served *apiextensionsv1.CustomResourceDefinition) {
				selector := target(served).Properties["labelSelector"]
				delete(selector.Properties["matchExpressions"].Items.Schema.Properties, "values")
			},
			[]string{"v1alpha1 .spec.target.labelSelector.matchExpressions[].values"},
		}, {
			"what preserves unknown fields drops none",
			func(served *apiextensionsv1.CustomResourceDefinition) {
				spec := served.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
				spec.Properties["target"] = apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &preserve}
			},
			nil,
		}, {
			"a field more than ours does no harm",
			func(served *apiextensionsv1.CustomResourceDefinition) {
				target(served).Properties["namespaceSelector"] = apiextensionsv1.JSONSchemaProps{Type: "string"}
			},
			nil,
		}, {
			"a version that is not served stores nothing",
			func(served *apiextensionsv1.CustomResourceDefinition) { served.Spec.Versions[0].Served = false },
			[]string{"v1alpha1"},
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			want, err := Get(name)
			require.NoError(t, err)
			served := want.DeepCopy()
			tc.change(served)
			missing, err := Missing(served, want)
			require.NoError(t, err)
			assert.Equal(t, tc.want, missing)
		})
	}
}
