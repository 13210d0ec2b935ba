package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/interpreter"
)

func load(t *testing.T, files ...string) []*Case {
	t.Helper()
	found, err := Load(files...)
	require.NoError(t, err)
	return found
}

// TestReports holds what is said about every kind of failure, in every format.
func TestReports(t *testing.T) {
	text := Text{Verbose: true, Rerun: func(c *Case) string { return "dragoman test --run " + c.Name }}
	for _, name := range []string{"recorded", "suite"} {
		results := Runner{Rules: Fixed(sample{})}.Run(t.Context(), load(t, "testdata/run/"+name+".yaml"))
		for i := range results {
			results[i].Duration = 0
		}
		for extension, report := range map[string]Report{"txt": text.Write, "json": JSON, "xml": JUnit} {
			t.Run(name+" "+extension, func(t *testing.T) {
				var b bytes.Buffer
				require.NoError(t, report(&b, results))
				golden(t, "report/"+name+"."+extension, b.String())
				switch extension {
				case "json":
					assert.True(t, json.Valid(b.Bytes()))
				case "xml":
					assert.NoError(t, xml.Unmarshal(b.Bytes(), new(junitSuites)))
				}
			})
		}
	}
}

func TestStrict(t *testing.T) {
	results := Runner{Rules: Fixed(sample{}), Strict: true}.Run(t.Context(), load(t, "testdata/run/recorded.yaml"))
	assert.Equal(t, Summary{Passed: 1, Failed: 5}, Summarize(results), "what expects nothing fails")
	assert.Contains(t, results[1].Diffs[0].String(), "conditions  want absent  got []", "an empty list is no absent one")
}

func TestOrderAndParallel(t *testing.T) {
	found := load(t, "testdata/run")
	var reports []string
	for _, parallel := range []int{1, 7} {
		var b strings.Builder
		results := Runner{Rules: Fixed(sample{}), Parallel: parallel}.Run(t.Context(), found)
		require.NoError(t, Text{Verbose: true}.Write(&b, results))
		reports = append(reports, b.String())
	}
	assert.Equal(t, reports[0], reports[1], "the report does not depend on how many run at once")
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	results := Runner{Rules: Fixed(sample{})}.Run(ctx, load(t, "testdata/run/recorded.yaml"))
	for _, r := range results {
		assert.Equal(t, Failed, r.Outcome)
		assert.Equal(t, []string{"not run: context canceled"}, r.Problems)
	}
}

// TestClock holds that our own cases see the same time every day, and recorded ones, whose files cannot say, the real one.
func TestClock(t *testing.T) {
	const text = "name: a\noperation: AggregateStatus\ndesiredObj: {apiVersion: example.com/v1, kind: Sample, metadata: {name: a}}\noutput: {aggregatedStatus: {}}\n"
	seen := func(head string) any {
		found, err := Decode("clock.yaml", []byte(head+text))
		require.NoError(t, err)
		result := Runner{Rules: Fixed(sample{})}.Run(t.Context(), found)[0]
		object, _ := result.Outputs[0].Value.(map[string]any)
		status, _ := object["status"].(map[string]any)
		return status["seen"]
	}
	assert.Equal(t, "2026-01-01", seen("reason: ours\n"))
	assert.Equal(t, "2030-05-06", seen("reason: ours\nclock: \"2030-05-06T07:08:09Z\"\n"))
	assert.NotEqual(t, "2026-01-01", seen(""), "a recorded case")
}

func TestNearest(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a/customizations.yaml", "a/b/c/case.yaml", "d/case.yaml"} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	var loaded [][]string
	failing := errors.New("does not load")
	rules := Nearest(func(files ...string) (interpreter.Interpreter, error) {
		loaded = append(loaded, files)
		if strings.Contains(files[0], "bad") {
			return nil, failing
		}
		return sample{}, nil
	}, sample{})

	got, err := rules(&Case{File: filepath.Join(folder, "a", "b", "c", "case.yaml")})
	require.NoError(t, err)
	assert.NotEqual(t, sample{}, got, "the rules of the folder above")
	_, err = rules(&Case{File: filepath.Join(folder, "a", "b", "c", "case.yaml")})
	require.NoError(t, err)
	assert.Len(t, loaded, 1, "loaded once")
	got, err = rules(&Case{File: filepath.Join(folder, "d", "case.yaml")})
	require.NoError(t, err)
	assert.Equal(t, sample{}, got, "no rules beside it: the shipped ones")
	_, err = rules(&Case{File: "x", Customizations: []string{"bad"}})
	require.ErrorIs(t, err, failing, "a suite names its own")
}

func TestAlone(t *testing.T) {
	rule := func(answer func(context.Context, *interpreter.Request) (*interpreter.Response, error)) interpreter.Interpreter {
		return interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule { return answer })
	}
	rest := rule(func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
		return &interpreter.Response{Replicas: 7}, nil
	})
	declines := rule(func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
		return nil, interpreter.ErrNotHandled
	})
	none := interpreter.Func(func(schema.GroupVersionKind, interpreter.Operation) interpreter.Rule { return nil })
	c := load(t, "testdata/run/recorded.yaml")[0]
	ask := func(given, rest interpreter.Interpreter) (*interpreter.Response, error) {
		return interpreter.Client{Interpreter: Alone(given, rest)}.Do(t.Context(), c.Request())
	}

	_, err := ask(declines, rest)
	require.ErrorIs(t, err, interpreter.ErrNotHandled, "the rest does not take over")
	_, err = ask(none, rest)
	require.ErrorIs(t, err, interpreter.ErrNotHandled)
	resp, err := ask(rule(interpreter.Next), rest)
	require.NoError(t, err)
	assert.Equal(t, int32(7), resp.Replicas, "a given rule may ask the rest")
	_, err = ask(rule(interpreter.Next), declines)
	require.ErrorIs(t, err, interpreter.ErrNotHandled)
	_, err = ask(rule(interpreter.Next), none)
	require.ErrorIs(t, err, interpreter.ErrNotHandled)
}
