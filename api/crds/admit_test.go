package crds

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

var update = flag.Bool("update", false, "rewrite what the cases in testdata expect")

// A suite is one file of testdata, named after its CRD: a valid object, and what becomes of it when it is changed.
type suite struct {
	Base yaml.Node `yaml:"base"`
	// Columns is what kubectl get prints of the base, with -o wide.
	Columns []string    `yaml:"columns"`
	Cases   []admitCase `yaml:"cases"`
}

// An admitCase is a change of the base. It is valid unless Errors says why not.
type admitCase struct {
	Reason string `yaml:"reason"`
	// Merge is a JSON merge patch of the base.
	Merge yaml.Node `yaml:"merge,omitempty"`
	// What becomes of it.
	outcome `yaml:",inline"`
}

type outcome struct {
	// Errors is every reason that the object is refused for.
	Errors []string `yaml:"errors,omitempty"`
	// Dropped are the fields that would not be stored.
	Dropped []string `yaml:"dropped,omitempty"`
	// Defaulted is a JSON merge patch from what was sent to what would be stored.
	Defaulted map[string]any `yaml:"defaulted,omitempty"`
}

func TestAdmit(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	definitions, err := All()
	require.NoError(t, err)
	assert.Len(t, paths, len(definitions), "every CRD has cases")

	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			definition, err := Get(name)
			require.NoError(t, err)
			schema, err := NewSchema(definition, definition.Spec.Versions[0].Name)
			require.NoError(t, err)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			var s suite
			decoder := yaml.NewDecoder(bytes.NewReader(data))
			decoder.KnownFields(true)
			require.NoError(t, decoder.Decode(&s))
			require.NotEmpty(t, s.Cases)

			columns := printColumns(t, definition, &s.Base)
			if *update {
				s.Columns = columns
			}
			assert.Equal(t, s.Columns, columns)
			for i := range s.Cases {
				want := &s.Cases[i]
				t.Run(want.Reason, func(t *testing.T) {
					got := admit(t, schema, &s.Base, &want.Merge)
					if *update {
						want.outcome = got
						return
					}
					assert.Equal(t, want.outcome, got)
				})
			}
			if *update {
				var out bytes.Buffer
				encoder := yaml.NewEncoder(&out)
				encoder.SetIndent(2)
				require.NoError(t, encoder.Encode(s))
				require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
			}
		})
	}
}

// admit changes base by merge, which may be empty, and says what becomes of the result.
func admit(t *testing.T, schema *Schema, base, merge *yaml.Node) outcome {
	t.Helper()
	object := toJSON(t, base)
	if !merge.IsZero() {
		var err error
		object, err = jsonpatch.MergePatch(object, toJSON(t, merge))
		require.NoError(t, err)
	}
	var sent unstructured.Unstructured
	require.NoError(t, sent.UnmarshalJSON(object))
	before := sent.DeepCopy()

	stored, dropped, errs := schema.Admit(t.Context(), &sent)
	assert.Equal(t, before, &sent, "the object that was sent is not modified")

	got := outcome{Dropped: dropped}
	for _, err := range errs {
		got.Errors = append(got.Errors, err.Error())
	}
	if len(errs) > 0 {
		return got
	}
	storedJSON, err := stored.MarshalJSON()
	require.NoError(t, err)
	requireTyped(t, storedJSON)
	sentJSON, err := sent.MarshalJSON()
	require.NoError(t, err)
	diff, err := jsonpatch.CreateMergePatch(sentJSON, storedJSON)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(diff, &got.Defaulted))
	if len(got.Defaulted) == 0 {
		got.Defaulted = nil
	}
	return got
}

// requireTyped requires that the Go type knows every field of the stored object, and loses none.
func requireTyped(t *testing.T, object []byte) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clusterv1alpha1.AddToScheme, configv1alpha1.AddToScheme, policyv1alpha1.AddToScheme, workv1alpha1.AddToScheme, workv1alpha2.AddToScheme,
	} {
		require.NoError(t, add(scheme))
	}
	codec := kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme, scheme, kjson.SerializerOptions{Strict: true})
	typed, _, err := codec.Decode(object, nil, nil)
	require.NoError(t, err)
	var encoded bytes.Buffer
	require.NoError(t, codec.Encode(typed, &encoded))
	again, _, err := codec.Decode(encoded.Bytes(), nil, nil)
	require.NoError(t, err)
	require.Equal(t, typed, again)
	require.Equal(t, typed, typed.DeepCopyObject())
}

// printColumns returns a line for each column that kubectl get prints of base with -o wide, but the age.
func printColumns(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition, base *yaml.Node) []string {
	t.Helper()
	convertor, err := tableconvertor.New(definition.Spec.Versions[0].AdditionalPrinterColumns)
	require.NoError(t, err)
	var object unstructured.Unstructured
	require.NoError(t, object.UnmarshalJSON(toJSON(t, base)))
	table, err := convertor.ConvertToTable(t.Context(), &object, nil)
	require.NoError(t, err)
	require.Len(t, table.Rows, 1)
	var columns []string
	for i, column := range table.ColumnDefinitions {
		if column.Name == "Age" {
			continue
		}
		line := fmt.Sprintf("%s: %v", column.Name, table.Rows[0].Cells[i])
		if column.Priority > 0 {
			line += " (wide)"
		}
		columns = append(columns, line)
	}
	return columns
}

func toJSON(t testing.TB, node *yaml.Node) []byte {
	t.Helper()
	var value any
	require.NoError(t, node.Decode(&value))
	data, err := json.Marshal(value)
	require.NoError(t, err)
	return data
}
