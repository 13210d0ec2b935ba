package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/tests/transcript"
)

// action is what this test reads of an action's definition.
type action struct {
	Inputs map[string]struct {
		Description string
		Default     *string
	}
	Runs struct {
		Using string
		Steps []struct {
			Name, Shell, Run string
			Env              map[string]string
		}
	}
}

// usesInput finds the values that GitHub puts in place of inputs.
var usesInput = regexp.MustCompile(`\$\{\{ inputs\.(\w+) \}\}`)

// TestAction runs the steps of the action in examples/ci as GitHub does.
func TestAction(t *testing.T) {
	data, err := os.ReadFile("../examples/ci/action.yml")
	require.NoError(t, err)
	var a action
	require.NoError(t, yaml.Unmarshal(data, &a))
	require.Equal(t, "composite", a.Runs.Using)
	bin := t.TempDir()
	require.NoError(t, transcript.Build("../cmd/dragoman", "dragoman", bin))

	for _, tc := range []struct {
		reason string
		inputs map[string]string
		failed []string
		say    string
	}{
		{"what is right passes", map[string]string{"path": "../examples/flink", "crds": "../examples/flink/crd.yaml", "flags": "--strict"}, nil, ""},
		{"a customization that is none fails the check", map[string]string{"path": broken(t)}, []string{"Check the rules", "Run the cases"}, "::error file="},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var failed []string
			var said string
			for _, step := range a.Runs.Steps {
				cmd := exec.CommandContext(t.Context(), step.Shell, "-eo", "pipefail", "-c", step.Run) //nolint:gosec // the action is part of the repository
				cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
				for name, value := range step.Env {
					cmd.Env = append(cmd.Env, name+"="+a.input(t, value, tc.inputs))
				}
				out, err := cmd.CombinedOutput()
				said += string(out)
				if err != nil {
					failed = append(failed, step.Name)
				}
			}
			assert.Equal(t, tc.failed, failed, "%s", said)
			assert.Contains(t, said, tc.say)
		})
	}
}

// input returns the value of the input that an environment variable is set to.
func (a *action) input(t *testing.T, value string, given map[string]string) string {
	t.Helper()
	found := usesInput.FindStringSubmatch(value)
	require.NotNil(t, found, value)
	declared, ok := a.Inputs[found[1]]
	require.True(t, ok, "%s is no input", found[1])
	require.NotEmpty(t, declared.Description)
	require.NotNil(t, declared.Default)
	if value, ok := given[found[1]]; ok {
		return value
	}
	return *declared.Default
}

// broken returns a folder with a customization that does not load, and a case that fails for it.
func broken(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"customizations.yaml": `apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: widgets}
spec:
  target: {apiVersion: example.com/v1, kind: Widget}
  customizations:
    replicaResource: {celExpression: objekt.spec.replicas}
`,
		"cases.yaml": `name: two replicas
reason: the rule does not load
operation: InterpretReplica
desiredObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: clock}, spec: {replicas: 2}}
output: {replica: 2}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}
