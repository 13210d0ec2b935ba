package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/dragoman-io/dragoman/api/crds"
)

func TestServed(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, apiextensionsv1.AddToScheme(scheme))
	served := func(change func(*apiextensionsv1.JSONSchemaProps), names ...string) client.Reader {
		b := fake.NewClientBuilder().WithScheme(scheme)
		for _, name := range names {
			definition, err := crds.Get(name)
			require.NoError(t, err)
			definition = definition.DeepCopy()
			for i := range definition.Spec.Versions {
				change(definition.Spec.Versions[i].Schema.OpenAPIV3Schema)
			}
			b.WithObjects(definition)
		}
		return b.Build()
	}
	asTheyAre := func(*apiextensionsv1.JSONSchemaProps) {}
	require.NoError(t, checkServed(t.Context(), served(asTheyAre, definitions...)))
	err := checkServed(t.Context(), served(asTheyAre, definitions[0]))
	require.ErrorContains(t, err, "get CustomResourceDefinition "+definitions[1])
	err = checkServed(t.Context(), served(func(schema *apiextensionsv1.JSONSchemaProps) {
		delete(schema.Properties["spec"].Properties["target"].Properties, "labelSelector")
	}, definitions...))
	require.ErrorContains(t, err, "drops fields that rules may have: ")
	require.ErrorContains(t, err, "spec.target.labelSelector: install the one that comes with this version")
}
