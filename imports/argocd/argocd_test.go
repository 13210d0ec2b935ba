package argocd_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/imports/argocd"
	"github.com/dragoman-io/dragoman/interpreter"
)

var update = flag.Bool("update", false, "rewrite what is expected in testdata/golden")

// clock is a time at which every test of the corpus holds.
var clock = time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)

func read(t *testing.T, fsys fs.FS) *argocd.Checks {
	t.Helper()
	checks, err := argocd.Read(fsys, argocd.Options{Clock: clock})
	require.NoError(t, err)
	return checks
}

// TestCorpus imports the checks in testdata, and holds that every case passes as the command line runs it: each with the
// customizations beside it, or those that its suite names.
func TestCorpus(t *testing.T) {
	checks := read(t, os.DirFS("testdata/checks"))
	assert.Empty(t, checks.Skipped)
	assert.Len(t, checks.Checks, 22)
	assert.Equal(t, []string{"untested.example.com/Thing"}, checks.Untested)
	assert.Equal(t, []string{"apps.example.com/Job/actions", "apps.example.com/Table/actions"}, checks.Actions)

	dir := t.TempDir()
	require.NoError(t, checks.Write(dir, false))
	for _, result := range run(t, dir) {
		assert.Equal(t, cases.Passed, result.Outcome, "%s: %v %v %v", result.Case.Name, result.Problems, result.Diffs, result.Err)
	}
}

// run runs the cases below dir; there are as many as the files of tests have.
func run(t *testing.T, dir string) []cases.Result {
	t.Helper()
	found, err := cases.Load(dir)
	require.NoError(t, err)
	tests := 0
	for _, file := range testFiles(t) {
		tests += len(file.Tests)
	}
	assert.Len(t, found, tests)
	return cases.Runner{Rules: cases.Nearest(load, interpreter.Chain{})}.Run(t.Context(), found)
}

func load(files ...string) (interpreter.Interpreter, error) {
	engines, err := customizations.Engines(script.Limits{})
	if err != nil {
		return nil, err
	}
	set := customizations.New(customizations.Options{Link: "customizations", Engines: engines})
	for _, file := range files {
		data, err := os.ReadFile(file) //nolint:gosec // a file that the test wrote
		if err != nil {
			return nil, err
		}
		decoded, err := customizations.Decode(file, data)
		if err != nil {
			return nil, err
		}
		set = set.With(decoded...)
	}
	return set, nil
}

// TestWholeSet holds that all customizations together answer as each does beside its cases: exact ones before wildcards.
func TestWholeSet(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, read(t, os.DirFS("testdata/checks")).Write(dir, false))
	files, err := filepath.Glob(dir + "/*/*/customizations.yaml")
	require.NoError(t, err)
	atRoot, err := filepath.Glob(dir + "/*/customizations.yaml")
	require.NoError(t, err)
	all, err := load(append(files, atRoot...)...)
	require.NoError(t, err)
	found, err := cases.Load(dir)
	require.NoError(t, err)
	for _, result := range (cases.Runner{Rules: cases.Fixed(all)}).Run(t.Context(), found) {
		assert.Equal(t, cases.Passed, result.Outcome, "%s: %v %v", result.Case.Name, result.Diffs, result.Err)
	}
}

// testFile is a health_test.yaml.
type testFile struct {
	folder string
	Tests  []struct {
		HealthStatus struct{ Status, Message string }
		InputPath    string
	}
}

func testFiles(t *testing.T) (out []testFile) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS("testdata/checks"), ".", func(file string, _ fs.DirEntry, err error) error {
		if path.Base(file) == "health_test.yaml" {
			data, readErr := os.ReadFile(filepath.Join("testdata", "checks", file)) //nolint:gosec // the test's own
			require.NoError(t, readErr)
			found := testFile{folder: path.Dir(file)}
			require.NoError(t, yaml.Unmarshal(data, &found))
			out = append(out, found)
		}
		return err
	}))
	return out
}

// TestCorpusIsTrue runs the scripts of the corpus the way Argo CD does, in a plain Lua with the object as a global, and
// holds that the corpus expects what comes out.
func TestCorpusIsTrue(t *testing.T) {
	for _, file := range testFiles(t) {
		for _, test := range file.Tests {
			t.Run(file.folder+"/"+test.InputPath, func(t *testing.T) {
				folder := filepath.Join("testdata", "checks", file.folder)
				data, err := os.ReadFile(filepath.Join(folder, test.InputPath))
				require.NoError(t, err)
				var object map[string]any
				require.NoError(t, yaml.Unmarshal(data, &object), "the first document")
				apiVersion, _ := object["apiVersion"].(string)
				if exact := path.Join(path.Dir(apiVersion), object["kind"].(string)); strings.Contains(file.folder, "_") {
					if _, err := os.Stat(filepath.Join("testdata", "checks", exact)); err == nil {
						folder = filepath.Join("testdata", "checks", exact)
					}
				}
				text, err := os.ReadFile(filepath.Join(folder, "health.lua"))
				require.NoError(t, err)
				l := lua.NewState()
				defer l.Close()
				l.SetGlobal("obj", toLua(l, object))
				require.NoError(t, l.DoString(strings.TrimPrefix(string(text), "\ufeff")))
				status, message := asArgoCD(t, l.Get(-1))
				assert.Equal(t, test.HealthStatus.Status, status)
				assert.Equal(t, test.HealthStatus.Message, message)
			})
		}
	}
}

func toLua(l *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case bool:
		return lua.LBool(value)
	case float64:
		return lua.LNumber(value)
	case string:
		return lua.LString(value)
	case []any:
		out := l.NewTable()
		for _, element := range value {
			out.Append(toLua(l, element))
		}
		return out
	case map[string]any:
		out := l.NewTable()
		for key, field := range value {
			out.RawSetString(key, toLua(l, field))
		}
		return out
	}
	return lua.LNil
}

// asArgoCD reads what a script returned.
func asArgoCD(t *testing.T, value lua.LValue) (status, message string) {
	t.Helper()
	table, ok := value.(*lua.LTable)
	if !ok {
		require.Equal(t, lua.LNil, value)
		return "", ""
	}
	if key, _ := table.Next(lua.LNil); key == lua.LNil {
		return "", ""
	}
	status = lua.LVAsString(table.RawGetString("status"))
	if !contains(status) {
		return "Unknown", "Lua returned an invalid health status"
	}
	return status, lua.LVAsString(table.RawGetString("message"))
}

func contains(status string) bool {
	for _, state := range interpreter.HealthStates() {
		if string(state) == status {
			return true
		}
	}
	return false
}

// TestGolden holds what is written for a check that is exact, one that is not, and one whose answer depends on the time.
func TestGolden(t *testing.T) {
	checks := read(t, os.DirFS("testdata/checks"))
	for _, check := range checks.Checks {
		switch check.Name {
		case "database.example.com", "any-kind.any-group.crossplane.io", "lease.example.com":
		default:
			continue
		}
		for name, data := range map[string][]byte{"customization": check.Customization, "suite": check.Suite} {
			file := filepath.Join("testdata", "golden", check.Name+"."+name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(file, data, 0o644)) //nolint:gosec // a file of the repository
			}
			want, err := os.ReadFile(file) //nolint:gosec // a file of the repository
			require.NoError(t, err)
			assert.Equal(t, string(want), string(data), "%s", file)
		}
	}
}

const (
	good  = "return {status = 'Healthy'}"
	tests = "tests:\n- healthStatus: {status: Healthy}\n  inputPath: testdata/a.yaml\n"
	input = "apiVersion: example.com/v1\nkind: Thing\n"
)

// TestSkipped holds that what cannot be imported is named, with its place and reason, and that the rest is imported.
func TestSkipped(t *testing.T) {
	const thing = "example.com/Thing/"
	for _, tc := range []struct {
		reason string
		files  map[string]string
		want   string
		checks int
	}{
		{"syntax errors have the line of the script as it came", map[string]string{thing + "health.lua": "local hs = {}\nif hs then\nreturn hs"},
			thing + "health.lua: line", 0},
		{"a script cannot end the function that it is put into", map[string]string{thing + "health.lua": "do return {} end\nend\nlocal f = function()"},
			thing + "health.lua: line 2: syntax error near \"end\"", 0},
		{"too long", map[string]string{thing + "health.lua": strings.Repeat("--\n", 30000)}, thing + "health.lua: want a script of at most 65536 bytes, got 90000", 0},
		{"not text", map[string]string{thing + "health.lua": "return '\xff'"}, thing + "health.lua: the script is not UTF-8", 0},
		{"no target for a part of a kind", map[string]string{"example.com/_Set/health.lua": good}, `example.com/_Set/health.lua: kind "_Set": want a kind, or _ for every kind`, 0},
		{"no target for every group", map[string]string{"_/Thing/health.lua": good}, `_/Thing/health.lua: group "_": want a group, or _. and the end of groups`, 0},
		{"no target for the middle of a group", map[string]string{"a._.com/Thing/health.lua": good}, `group "a._.com": want a group`, 0},
		{"no group is like this", map[string]string{"Example.com/Thing/health.lua": good}, `Example.com/Thing/health.lua: folder "Example.com/Thing": spec.target.apiVersion`, 0},
		{"no group and kind", map[string]string{"health.lua": good}, `health.lua: want it in a folder <group>/<Kind>, got "."`, 0},
		{"too deep", map[string]string{"a/b.com/C/health.lua": good}, `want it in a folder <group>/<Kind>, got "a/b.com/C"`, 0},
		{"the core group is at the root and in its folder", map[string]string{"core/Pod/health.lua": good, "Pod/health.lua": good},
			"want one check of a kind, got another in Pod", 1},
		{"no YAML", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": "tests: [\n"}, thing + "health_test.yaml:1: YAML does not parse", 1},
		{"an empty file", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": "# nothing\n"}, "want a document, got an empty file", 1},
		{"no list", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": "tests: {}\n"}, "tests: want a list, got an object", 1},
		{"no input is named", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": "tests:\n- healthStatus: {}\n"},
			thing + "health_test.yaml:2: inputPath: want a file, got nothing", 1},
		{"no input is there", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": tests},
			thing + "health_test.yaml:2: inputPath: testdata/a.yaml: file does not exist", 1},
		{"input from elsewhere", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": strings.ReplaceAll(tests, "testdata", "../../..")},
			"../../../a.yaml: want a file below the folder that is imported", 1},
		{"input that is no object", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": tests, thing + "testdata/a.yaml": "[]"},
			"testdata/a.yaml: want an object, got a list", 1},
		{"input without a kind", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": tests, thing + "testdata/a.yaml": "kind: Thing"},
			"testdata/a.yaml: want an object with apiVersion and kind", 1},
		{"input of another kind", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": tests, thing + "testdata/a.yaml": "apiVersion: v1\nkind: Pod\n"},
			"testdata/a.yaml: no check is for a Pod of v1", 1},
		{"no such state", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": strings.ReplaceAll(tests, "Healthy", "Fine"), thing + "testdata/a.yaml": input},
			`healthStatus.status: want one of [Healthy Progressing Degraded Suspended Missing Unknown], got "Fine"`, 1},
		{"a message that is no text", map[string]string{thing + "health.lua": good, thing + "health_test.yaml": strings.ReplaceAll(tests, "Healthy", "Healthy, message: {a: 1}"), thing + "testdata/a.yaml": input},
			`healthStatus.message: want a string, got an object`, 1},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range tc.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			checks := read(t, fsys)
			assert.Len(t, checks.Checks, tc.checks)
			require.Len(t, checks.Skipped, 1)
			skip := checks.Skipped[0]
			assert.Contains(t, skip.Path+": "+skip.Err.Error(), tc.want)
			assert.NotContains(t, skip.Err.Error(), "\n", "one line for each")
		})
	}
}

// TestLenient holds that what Argo CD takes, if it were not for its own conventions, is imported.
func TestLenient(t *testing.T) {
	checks := read(t, fstest.MapFS{
		"*.example.com/*/health.lua": {Data: []byte("return {status = 'Healthy', message = obj.metadata.name}")},
		"*.example.com/*/health_test.yaml": {Data: []byte("tests:\n- HealthStatus: {Status: Healthy, Message: 1.50}\n  inputPath: testdata/a.yaml\n" +
			"- healthStatus: {status: Healthy, message: true}\n  inputPath: testdata/a.yaml\n- healthStatus: {status: Healthy, message: null}\n  inputPath: testdata/a.yaml\n")},
		"*.example.com/*/testdata/a.yaml": {Data: []byte("apiVersion: a.example.com/v1\nkind: Thing\n")},
	})
	assert.Empty(t, checks.Skipped)
	require.Len(t, checks.Checks, 1)
	check := checks.Checks[0]
	assert.Equal(t, "any-kind.any-group.example.com", check.Name, "the wildcard may be a star")
	for _, want := range []string{`apiVersion: "*.example.com/*"`, `kind: "*"`} {
		assert.Contains(t, string(check.Customization), want)
	}
	for _, want := range []string{`message: "1.5"`, `message: "true"`, `message: ""`} {
		assert.Contains(t, string(check.Suite), want, "what is no text becomes one, as in Go's decoder of YAML")
	}
}

// TestMessages holds that a message and a script come out of YAML as they went in, whatever they hold.
func TestMessages(t *testing.T) {
	for _, text := range []string{
		"", " ", "\n", "a\n", "a\n\n", " a\n b", "\n  a\n b\n", "\ta", "a\t\n\tb ", "x: y", "- a", "# a", "'", `"`, "\\", "~", "null", "1", "yes", "1e3",
		"0x1f", "2026-01-01", "\u00e9 \u2028 \u0085 \ufeff \U0001f600", "\x01", "%d", "{{ x }}", "${{ x }}", "&a *b", "a: |\n  b", strings.Repeat("long words ", 40),
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			test, err := yaml.Marshal(map[string]any{"tests": []any{map[string]any{
				"inputPath": "testdata/a.yaml", "healthStatus": map[string]any{"status": "Healthy", "message": text},
			}}})
			require.NoError(t, err)
			object, err := yaml.Marshal(map[string]any{"apiVersion": "example.com/v1", "kind": "Null", "status": text})
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, read(t, fstest.MapFS{
				"example.com/Null/health.lua":       {Data: []byte("return {status = 'Healthy', message = obj.status} --[==[" + strings.ReplaceAll(text, "\r", "") + "]==]")},
				"example.com/Null/health_test.yaml": {Data: test},
				"example.com/Null/testdata/a.yaml":  {Data: object},
			}).Write(dir, false))
			found, err := cases.Load(dir)
			require.NoError(t, err)
			results := cases.Runner{Rules: cases.Nearest(load, interpreter.Chain{})}.Run(t.Context(), found)
			require.Len(t, results, 1)
			assert.Equal(t, cases.Passed, results[0].Outcome, "%v %v", results[0].Diffs, results[0].Err)
		})
	}
}

func TestNothing(t *testing.T) {
	_, err := argocd.Read(fstest.MapFS{"README.md": {}}, argocd.Options{})
	require.ErrorIs(t, err, argocd.ErrNoChecks)
}

func TestWriteKeepsFiles(t *testing.T) {
	dir := t.TempDir()
	checks := read(t, os.DirFS("testdata/checks"))
	last := checks.Checks[len(checks.Checks)-1]
	file := filepath.Join(dir, filepath.FromSlash(last.Folder), "customizations.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))

	err := checks.Write(dir, false)
	require.ErrorIs(t, err, fs.ErrExist)
	assert.Contains(t, err.Error(), file)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is written when something is in the way")

	require.NoError(t, checks.Write(dir, true))
	data, err := os.ReadFile(file) //nolint:gosec // the test's own
	require.NoError(t, err)
	assert.Equal(t, string(last.Customization), string(data))
}

// FuzzRead holds that no input crashes the importer, that what it writes is read back, and that the script is in it as it
// came.
func FuzzRead(f *testing.F) {
	for _, text := range []string{good, "", "return {}\n\n", "-- \ttab \r\nreturn nil", "return '\x01'", "\ufeffreturn 1", "return [[\n\n  a: b\n]] --", "return '\u00a0\u2028'"} {
		f.Add(text, tests, input)
	}
	f.Fuzz(func(t *testing.T, script, tests, input string) {
		checks, err := argocd.Read(fstest.MapFS{
			"example.com/Thing/health.lua":       {Data: []byte(script)},
			"example.com/Thing/health_test.yaml": {Data: []byte(tests)},
			"example.com/Thing/testdata/a.yaml":  {Data: []byte(input)},
		}, argocd.Options{})
		require.NoError(t, err)
		for _, check := range checks.Checks {
			decoded, err := customizations.Decode("customizations.yaml", check.Customization)
			require.NoError(t, err)
			text := strings.ReplaceAll(strings.TrimPrefix(script, "\ufeff"), "\r\n", "\n")
			assert.Contains(t, decoded[0].Object.Spec.Customizations.HealthInterpretation.LuaScript, text)
			if check.Cases > 0 {
				found, err := cases.Decode("cases.yaml", check.Suite)
				require.NoError(t, err, "%s", check.Suite)
				assert.Len(t, found, check.Cases)
			}
		}
	})
}
