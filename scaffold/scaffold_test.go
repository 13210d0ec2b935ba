package scaffold_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/admission"
	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/laws"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/scaffold"
)

var update = flag.Bool("update", false, "rewrite what is expected in testdata")

// TestFiles holds that what is written for the definitions in testdata is as the files beside them, that check has nothing
// to say about it, and that its cases and all laws hold.
func TestFiles(t *testing.T) {
	definitions, err := filepath.Glob("testdata/*/crd.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, definitions)
	for _, definition := range definitions {
		folder := filepath.Dir(definition)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			data, err := os.ReadFile(definition) //nolint:gosec // the test's own
			require.NoError(t, err)
			kind, err := scaffold.Read(definition, data, "")
			require.NoError(t, err)
			files, err := kind.Files("crd.yaml")
			require.NoError(t, err)
			for _, f := range files {
				golden := filepath.Join(folder, f.Name)
				if *update {
					require.NoError(t, os.WriteFile(golden, f.Data, 0o644)) //nolint:gosec // a file of the repository
				}
				want, err := os.ReadFile(golden) //nolint:gosec // a file of the repository
				require.NoError(t, err)
				assert.Equal(t, string(want), string(f.Data), golden)
			}
			check(t, admission.File{Name: definition, Data: data}, admission.File{Name: files[0].Name, Data: files[0].Data})
			run(t, files[0].Data, files[1].Data)
		})
	}
}

// check holds that nothing is wrong with a customization, and that it fits the definition.
func check(t *testing.T, definition, customization admission.File) {
	t.Helper()
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	schemas, err := admission.ReadSchemas(definition)
	require.NoError(t, err)
	report := admission.Checker{Engines: engines, Schemas: schemas}.Files(t.Context(), customization)
	assert.Equal(t, 1, report.Customizations)
	for _, problem := range report.Problems {
		t.Error(problem.Error())
	}
}

// run holds that the cases pass, and the laws for their inputs.
func run(t *testing.T, customization, suite []byte) {
	t.Helper()
	decoded, err := customizations.Decode("customizations.yaml", customization)
	require.NoError(t, err)
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	set := customizations.New(customizations.Options{Link: "customizations", Engines: engines}).With(decoded...)
	found, err := cases.Decode("cases.yaml", suite)
	require.NoError(t, err)
	tested := map[interpreter.Operation]bool{}
	results := cases.Runner{Rules: cases.Fixed(set)}.Run(t.Context(), found)
	for _, result := range results {
		tested[result.Case.Operation] = true
		assert.Equal(t, cases.Passed, result.Outcome, "%s: %v %v %v", result.Case.Name, result.Problems, result.Diffs, result.Err)
	}
	for _, source := range decoded[0].Sources("customizations") {
		assert.True(t, tested[source.Operation], "%s has a case", source.Operation)
	}
	report, err := laws.Checker{Rules: cases.Fixed(set), Seed: 1}.Check(t.Context(), found)
	require.NoError(t, err)
	assert.Empty(t, report.Breaches)
}

const head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\n"

func TestBadDefinitions(t *testing.T) {
	for _, tc := range []struct{ reason, text, version, want string }{
		{"no YAML", "a: [", "", "crd.yaml:"},
		{"nothing", "", "", "crd.yaml: want one CustomResourceDefinition, got 0 objects"},
		{"which of two?", head + "---\n" + head, "", "want one CustomResourceDefinition, got 2 objects"},
		{"something else", "apiVersion: v1\nkind: Pod\n", "", "crd.yaml:1: want a CustomResourceDefinition of apiextensions.k8s.io/v1, got a Pod of v1"},
		{"an old one", strings.Replace(head, "io/v1", "io/v1beta1", 1), "", "got a CustomResourceDefinition of apiextensions.k8s.io/v1beta1"},
		{"a field of another type", head + "spec: {group: 1}\n", "", "crd.yaml:1: want a CustomResourceDefinition: "},
		{"no names", head + "spec: {group: example.com}\n", "", `crd.yaml:4: spec: want group, names.kind and names.plural as names, got "example.com", "" and ""`},
		{"a name that leads elsewhere", head + "spec: {group: example.com, names: {kind: A, plural: ../as}}\n", "", `got "example.com", "A" and "../as"`},
		{"no stored version", head + "spec: {group: example.com, names: {kind: A, plural: as}, versions: [{name: v1, served: true}]}\n", "",
			"spec.versions: want one with storage: true, got none"},
		{"no such version", head + "spec: {group: example.com, names: {kind: A, plural: as}, versions: [{name: v1, served: true}]}\n", "v2",
			"spec.versions: want v2, got v1"},
		{"no schema", head + "spec: {group: example.com, names: {kind: A, plural: as}, versions: [{name: v1, storage: true}]}\n", "",
			"spec.versions: v1: want schema.openAPIV3Schema, got none"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			_, err := scaffold.Read("crd.yaml", []byte(tc.text), tc.version)
			require.Error(t, err)
			assert.Contains(t, err.Error(), tc.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestNothingToBeginWith(t *testing.T) {
	kind, err := scaffold.Read("crd.yaml", []byte(head+`spec:
  group: example.com
  names: {kind: A, plural: as}
  versions: [{name: v1, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`), "")
	require.NoError(t, err)
	_, err = kind.Files("")
	require.ErrorContains(t, err, "example.com/v1, Kind=A: the schema says nothing about replicas, pod templates or a status")
}

// TestVersion holds that another version than the stored one can be chosen.
func TestVersion(t *testing.T) {
	data, err := os.ReadFile("testdata/server/crd.yaml")
	require.NoError(t, err)
	kind, err := scaffold.Read("crd.yaml", data, "v1beta1")
	require.NoError(t, err)
	files, err := kind.Files("a folder/it's $mine.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(files[0].Data), "apiVersion: example.com/v1beta1\n")
	assert.Contains(t, string(files[2].Data), `--crd 'a folder/it'\''s $$mine.yaml' `)
}

// FuzzRead holds that no definition crashes the scaffold, and that what it writes is a customization whose rules load, with
// cases that can be read.
func FuzzRead(f *testing.F) {
	definitions, err := filepath.Glob("testdata/*/crd.yaml")
	require.NoError(f, err)
	for _, definition := range definitions {
		data, err := os.ReadFile(definition) //nolint:gosec // the test's own
		require.NoError(f, err)
		f.Add(data)
	}
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		kind, err := scaffold.Read("crd.yaml", data, "")
		if err != nil {
			return
		}
		files, err := kind.Files("crd.yaml")
		if err != nil {
			return
		}
		decoded, err := customizations.Decode("customizations.yaml", files[0].Data)
		require.NoError(t, err, "%s", files[0].Data)
		set := customizations.New(customizations.Options{Engines: engines}).With(decoded...)
		assert.Empty(t, set.Problems(kind.Name()), "%s", files[0].Data)
		_, err = cases.Decode("cases.yaml", files[1].Data)
		require.NoError(t, err, "%s", files[1].Data)
	})
}
