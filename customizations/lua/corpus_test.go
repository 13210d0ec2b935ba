package lua_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// question is a script in testdata/scripts, written as users of the peer write them, and a request for it. The script's
// first line tells the operation and the objects in testdata/objects: "-- AggregateStatus flink flink-members".
type question struct {
	name string
	src  *script.Source
	req  *interpreter.Request
}

func corpus(tb testing.TB) []question { return questions(tb, "scripts") }

// questions returns the scripts in a folder of testdata.
func questions(tb testing.TB, folder string) []question {
	tb.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.lua")
	require.NoError(tb, err)
	require.NotEmpty(tb, files)
	out := make([]question, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(tb, err)
		header, _, _ := strings.Cut(string(text), "\n")
		words := strings.Fields(strings.TrimPrefix(header, "--"))
		op, err := interpreter.ParseOperation(words[0])
		require.NoError(tb, err)
		name := strings.TrimSuffix(filepath.Base(file), ".lua")
		req := &interpreter.Request{Operation: op, Object: object(tb, words[1])}
		switch op {
		case interpreter.Retain:
			req.ObservedObject = object(tb, words[1])
			require.NoError(tb, unstructured.SetNestedField(req.ObservedObject.Object, int64(9), "spec", "replicas"))
		case interpreter.ReviseReplica:
			req.DesiredReplicas = 8
		case interpreter.AggregateStatus:
			req.AggregatedStatus = items(tb, words[2])
		}
		require.NoError(tb, req.Complete())
		out[i] = question{name, source(op, string(text)), req}
		out[i].src.Customization = name
	}
	return out
}

func source(op interpreter.Operation, text string) *script.Source {
	return &script.Source{Link: "customizations", Customization: "test", Operation: op, Language: script.Lua, Text: text}
}

func readJSON(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "objects", name+".yaml"))
	require.NoError(tb, err)
	data, err = yaml.YAMLToJSON(data)
	require.NoError(tb, err)
	return data
}

func object(tb testing.TB, name string) *unstructured.Unstructured {
	tb.Helper()
	out := &unstructured.Unstructured{}
	require.NoError(tb, utiljson.Unmarshal(readJSON(tb, name), &out.Object))
	return out
}

func items(tb testing.TB, name string) []interpreter.StatusItem {
	tb.Helper()
	var wire []workv1alpha2.AggregatedStatusItem
	require.NoError(tb, json.Unmarshal(readJSON(tb, name), &wire))
	out, err := interpreter.DecodeItems(wire)
	require.NoError(tb, err)
	return out
}

// newEngine returns an engine with the default limits, but for the clock: a slow machine must not fail a test.
func newEngine() *lua.Engine { return lua.New(script.Limits{Timeout: time.Minute}, kube.Functions()) }

// compiled returns the rule of a script that must compile.
func compiled(tb testing.TB, e *lua.Engine, src *script.Source) interpreter.Rule {
	tb.Helper()
	rule, _, err := e.Compile(src)
	require.NoError(tb, err)
	return rule
}
