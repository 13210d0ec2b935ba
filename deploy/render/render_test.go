package render

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/yaml"
)

const chartDir = "../chart"

var update = flag.Bool("update", false, "write what is rendered to ../base and testdata")

// withoutPolicies are the values of the base, which takes the policies from their own folder.
var withoutPolicies = map[string]any{"policies": map[string]any{"enabled": false}}

// compare checks data against a file, or writes the file.
func compare(t *testing.T, file string, data []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, data, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(data), "%s is not what the chart says: run go test -update in deploy/render", file)
}

func TestBaseIsTheRenderedChart(t *testing.T) {
	manifests, definitions, err := Chart(chartDir, "dragoman", "dragoman-system", withoutPolicies)
	require.NoError(t, err)
	const header = "# Written by go test -update in deploy/render. Do not edit: change ../chart.\n"
	compare(t, "../base/dragoman.yaml", append([]byte(header), manifests...))

	assert.Equal(t, kustomized(t, "../../api/crds/Kustomization"), definitions, "kustomize and Helm install the same definitions")
}

// kustomized returns the resources that a Kustomization names.
func kustomized(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var kustomization struct {
		Resources []string `json:"resources"`
	}
	require.NoError(t, yaml.Unmarshal(data, &kustomization))
	return kustomization.Resources
}

func TestPoliciesAreTheSame(t *testing.T) {
	manifests, _, err := Chart(chartDir, "dragoman", "dragoman-system", nil)
	require.NoError(t, err)
	files, err := filepath.Glob("../policies/*.yaml")
	require.NoError(t, err)
	names := kustomized(t, "../policies/Kustomization")
	assert.Len(t, names, len(files))
	for _, name := range names {
		data, err := os.ReadFile("../policies/" + name)
		require.NoError(t, err)
		assert.Contains(t, string(manifests), strings.TrimSpace(string(data)), name)
	}
}

func TestValues(t *testing.T) {
	tests := []struct {
		name, reason, values string
	}{
		{"everything", "all that is off by default",
			`{replicas: 3, policies: {enabled: false}, networkPolicy: {enabled: true}, serviceMonitor: {enabled: true, labels: {release: prometheus}}, image: {tag: v9, pullSecrets: [{name: registry}]},
			  podAnnotations: {a: b}, serviceAccount: {annotations: {c: d}}, nodeSelector: {e: f}, tolerations: [{operator: Exists}],
			  affinity: {nodeAffinity: {}}, extraArgs: ["--verbose"], logging: {format: text}}`},
		{"least", "all that is on by default is off", `{replicas: 1, policies: {enabled: false}, webhooks: {enabled: false}, rbac: {everyKind: false}}`},
		{"elsewhere", "the control plane is another cluster",
			`{controlPlane: {kubeconfigSecret: karmada}, webhooks: {url: "https://dragoman.example:8443"}}`},
		{"control-plane", "the control plane of controllers in another cluster",
			`{policies: {enabled: false}, controllers: {enabled: false}, webhooks: {url: "https://dragoman.example:8443/", failurePolicy: Fail}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var values map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(test.values), &values))
			manifests, _, err := Chart(chartDir, "federation", "system", values)
			require.NoError(t, err)
			compare(t, filepath.Join("testdata", test.name+".yaml"), append([]byte("# "+test.reason+": "+strings.Join(strings.Fields(test.values), " ")+"\n"), manifests...))
		})
	}
}

func TestBadValuesAreRefused(t *testing.T) {
	tests := []struct {
		reason, values, want string
	}{
		{"a misspelled value", "{replica: 3}", "replica"},
		{"no replicas", "{replicas: 0}", "replicas"},
		{"a URL without TLS", "{webhooks: {url: \"http://dragoman.example\"}}", "url"},
		{"an unknown policy", "{webhooks: {failurePolicy: Maybe}}", "failurePolicy"},
		{"a control plane elsewhere that has no URL to call", "{controlPlane: {kubeconfigSecret: karmada}}", "webhooks.url"},
		{"controllers elsewhere that have no URL", "{controllers: {enabled: false}}", "webhooks.url"},
		{"neither half", "{controllers: {enabled: false}, controlPlane: {kubeconfigSecret: karmada}, webhooks: {enabled: false}}", "kubeconfigSecret"},
		{"an unknown format", "{logging: {format: xml}}", "format"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var values map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(test.values), &values))
			_, _, err := Chart(chartDir, "dragoman", "dragoman-system", values)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestLint(t *testing.T) {
	for _, message := range lint.All(chartDir, nil, "dragoman-system", true).Messages {
		if message.Severity > support.InfoSev {
			t.Error(message)
		}
	}
}
