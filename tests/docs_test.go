package tests

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/tests/transcript"
)

var update = flag.Bool("update", false, "rewrite the generated pages and what the documents say commands print")

// documents are what TestDocuments runs. Pages that are generated, or whose commands another test runs, are not here.
var documents = []string{"../README.md", "../CONTRIBUTING.md", "../docs/writing.md", "../docs/testing.md", "../docs/testing-laws.md", "../docs/before-applying.md", "../docs/walkthrough.md", "../examples/ci/README.md"}

// TestDocuments runs the commands of the README and of the guides.
func TestDocuments(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, transcript.Build("../cmd/dragoman", "dragoman", bin))
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for _, file := range documents {
		t.Run(filepath.Base(file), func(t *testing.T) {
			o := transcript.Options{Bin: bin, Update: *update}
			if filepath.Dir(file) == ".." {
				o.Folder = root // where a reader of these files is
			} else {
				o.Links = map[string]string{"examples": filepath.Join(root, "examples")}
			}
			transcript.Run(t, file, o)
		})
	}
}

// generated compares a page with what it is generated as.
func generated(t *testing.T, page, text string) {
	t.Helper()
	file := filepath.Join("../docs", page)
	text = "<!-- Generated: go test ./tests -update -->\n\n" + text
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644)) //nolint:gosec // a file of the repository
	}
	have, err := os.ReadFile(file) //nolint:gosec // a file of the repository
	require.NoError(t, err)
	assert.Equal(t, text, string(have), "%s is as it is generated: go test ./tests -update", page)
}

func TestOperationsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Operations\n\nEach operation is a question about an object. A customization answers it by a rule under `spec.customizations`: " +
		"a Lua function\nof the given name, or a CEL expression over the given variables.\n")
	for _, info := range interpreter.Operations() {
		var inputs []string
		for _, in := range info.Inputs {
			inputs = append(inputs, string(in))
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", info.Operation, sentence(info.Question))
		fmt.Fprintf(&b, "| | |\n|---|---|\n| field | `%s` |\n| Lua | `%s(%s)` |\n| CEL variables | %s |\n", info.Field, info.Function,
			strings.Join(inputs, ", "), "`"+strings.Join(inputs, "`, `")+"`")
		fmt.Fprintf(&b, "| Lua returns | %s |\n| CEL value | %s |\n", luaResults[info.Result], celResults[info.Result])
		fmt.Fprintf(&b, "| results in case files | `%s` |\n", strings.Join(info.Outputs, "`, `"))
		if info.Observed {
			b.WriteString("| asked about | the object in a member cluster |\n")
		}
		if info.Union {
			b.WriteString("| several customizations | their answers are joined |\n")
		}
	}
	generated(t, "operations.md", b.String())
}

func sentence(question string) string { return strings.ToUpper(question[:1]) + question[1:] }

var (
	luaResults = map[interpreter.Result]string{
		interpreter.ResultReplicas:     "a number, and a table of requirements or nil",
		interpreter.ResultComponents:   "a list of components `{name, replicas, replicaRequirements}`",
		interpreter.ResultObject:       "the object",
		interpreter.ResultStatus:       "the status",
		interpreter.ResultHealth:       "a boolean, or a state and a message",
		interpreter.ResultDependencies: "a list of references `{apiVersion, kind, namespace, name}`, or with `labelSelector` for `name`",
	}
	celResults = map[interpreter.Result]string{
		interpreter.ResultReplicas:     "an int, or `{\"replicas\": int, \"replicaRequirements\": {...}}`",
		interpreter.ResultComponents:   "a list of `{\"name\", \"replicas\", \"replicaRequirements\"}`",
		interpreter.ResultObject:       "a change of `object`: a map is a merge patch, a list is a JSON patch",
		interpreter.ResultStatus:       "a map, or null for none",
		interpreter.ResultHealth:       "a bool, a state, or `{\"state\", \"message\"}`",
		interpreter.ResultDependencies: "a list of `{\"apiVersion\", \"kind\", \"namespace\", \"name\"}`, or with `labelSelector` for `name`",
	}
)
