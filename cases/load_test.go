package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter"
)

// TestBadFiles holds what is said about files that look like cases and are none.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, err := Load(file)
			require.Error(t, err)
			golden(t, "bad/"+strings.TrimSuffix(filepath.Base(file), ".yaml")+".txt", err.Error()+"\n")
		})
	}
}

func TestLoadFindsCases(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	const one = "name: %\noperation: InterpretReplica\ndesiredObj: {apiVersion: v1, kind: Pod}\noutput: {replica: 1}\n"
	named := func(name string) string { return strings.Replace(one, "%", name, 1) }
	write("b.yaml", "# nothing but a comment\n---\n\n---\n"+named("b1")+"--- \n"+named("b2")+"---\nkind: ConfigMap\n")
	write("a/z.yml", named("z"))
	write("a/y.json", `{"name": "y", "operation": "interpretreplica", "desiredObj": {"apiVersion": "v1", "kind": "Pod"}, "output": {"replica": 1}}`)
	write("a/text.txt", named("not YAML by its name"))
	write("a/other.yaml", "this: is\nno: [case")
	write(".hidden/x.yaml", named("hidden"))
	write("a/helm.yaml", "{{ template }}")

	found, err := Load(folder)
	require.NoError(t, err)
	var got []string
	for _, c := range found {
		rel, err := filepath.Rel(folder, c.File)
		require.NoError(t, err)
		got = append(got, filepath.ToSlash(rel)+" "+c.Name)
	}
	assert.Equal(t, []string{"a/y.json y", "a/z.yml z", "b.yaml b1", "b.yaml b2"}, got)
	assert.Equal(t, 5, found[2].Line, "the line of the first key, not of the separator")
	assert.Contains(t, found[2].Position([]any{"output", "replica"}), "b.yaml:8")

	_, err = Load(filepath.Join(folder, "a", "other.yaml"))
	require.ErrorContains(t, err, "other.yaml:2: YAML does not parse", "a file that is named has to parse")
	_, err = Load(folder, filepath.Join(folder, "a", "other.yaml"))
	require.ErrorContains(t, err, "other.yaml:2: YAML does not parse", "even when its folder is, too")
	again, err := Load(folder+"/./b.yaml", folder, folder+"/b.yaml", filepath.Join(folder, "a"))
	require.NoError(t, err)
	assert.Len(t, again, len(found), "each file once, however often it is named")
	_, err = Load(filepath.Join(folder, "nowhere"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "empty"), 0o700))
	_, err = Load(filepath.Join(folder, "empty"))
	require.ErrorIs(t, err, ErrNoCases)
}

// TestRecordedCasesAreLenient holds that files of other projects run although they have what ours must not.
func TestRecordedCasesAreLenient(t *testing.T) {
	found, err := Decode("recorded.yaml", []byte(`
name: a key twice, an unknown field, an unknown result, items without names
description: text
operation: AggregateStatus
desiredObj: {apiVersion: v1, kind: Pod}
desiredObj: {apiVersion: v1, kind: Pod}
owner: somebody
statusItems: [{status: {a: 1}, more: 1}, {status: {a: 2}}]
output: {aggregated: {}}
`))
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.True(t, found[0].Recorded)
	assert.Equal(t, []string{"owner", "output.aggregated"}, found[0].Ignored)
	assert.True(t, found[0].Expect.IsEmpty())
	assert.Len(t, found[0].Items, 2)
}

// TestWhichObject holds that a case with both objects asks about the one that the operation is naturally about.
func TestWhichObject(t *testing.T) {
	for _, info := range interpreter.Operations() {
		found, err := Decode("both.yaml", []byte(`
name: both
operation: `+string(info.Operation)+`
desiredObj: {apiVersion: v1, kind: Pod, metadata: {name: desired}}
observedObj: {apiVersion: v1, kind: Pod, metadata: {name: observed}}
inputReplicas: 1
`))
		require.NoError(t, err)
		want := "desired"
		if info.Observed {
			want = "observed"
		}
		req := found[0].Request()
		assert.Equal(t, want, req.Object.GetName(), info.Operation)
		assert.Equal(t, info.Takes(interpreter.InputObserved), req.ObservedObject != nil, info.Operation)
	}
}
