package override_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/override"
)

func decode(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, utiljson.Unmarshal(data, &u.Object))
	return u
}

func policy(t *testing.T, name, spec string) *policyv1alpha1.OverridePolicy {
	t.Helper()
	p := &policyv1alpha1.OverridePolicy{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	require.NoError(t, yaml.UnmarshalStrict([]byte(spec), &p.Spec))
	return p
}

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default, labels: {app: web}, annotations: {big: "1"}}
spec:
  replicas: 2
  big: 9007199254740993
  nothing: null
  template:
    spec:
      initContainers: [{name: init, image: "busybox:1"}]
      containers:
      - {name: web, image: "example.com:5000/team/web:v1", command: [run, --slow], args: [-v]}
      - {name: side, image: "side@sha256:abc"}
data:
  app.yaml: "level: info\nport: 80\n"
  app.json: '{"level": "info"}'
`

var (
	member1      = &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "member1", Labels: map[string]string{"tier": "edge"}}}
	podTemplates = [][]string{{"spec", "template"}}
)

func TestApply(t *testing.T) {
	for _, tc := range []struct {
		reason string
		// spec is one rule's overriders.
		overriders string
		// changed is what the object has then, as JSON merge patch.
		changed string
		err     string
	}{
		{
			reason:     "plaintext is a JSON patch; what it does not touch keeps every digit and null",
			overriders: "plaintext: [{path: /spec/template/spec/containers/0/image, operator: replace, value: 'nginx:test'}]",
			changed:    "spec: {template: {spec: {initContainers: [{name: init, image: 'busybox:1'}], containers: [{name: web, image: 'nginx:test', command: [run, --slow], args: [-v]}, {name: side, image: 'side@sha256:abc'}]}}}",
		},
		{reason: "a value may be of any type", overriders: "plaintext: [{path: /spec/replicas, operator: replace, value: 7}]", changed: "spec: {replicas: 7}"},
		{
			reason: "a patch that does not fit is an error", overriders: "plaintext: [{path: /spec/missing/deep, operator: replace, value: 1}]",
			err: "OverridePolicy p: rule 0: plaintext: ",
		},
		{
			reason: "the registry of every container, init containers apart", overriders: "imageOverrider: [{component: Registry, operator: replace, value: mirror.local}]",
			changed: "spec: {template: {spec: {containers: [{name: web, image: 'mirror.local/team/web:v1', command: [run, --slow], args: [-v]}, {name: side, image: 'mirror.local/side@sha256:abc'}]}}}",
		},
		{
			reason: "add appends to a tag or a digest", overriders: "imageOverrider: [{component: Tag, operator: add, value: -fips}]",
			changed: "spec: {template: {spec: {containers: [{name: web, image: 'example.com:5000/team/web:v1-fips', command: [run, --slow], args: [-v]}, {name: side, image: 'side@sha256:abc-fips'}]}}}",
		},
		{
			reason: "a predicate names one image", overriders: "imageOverrider: [{predicate: {path: /spec/template/spec/initContainers/0/image}, component: Tag, operator: replace, value: 'sha256:def'}]",
			changed: "spec: {template: {spec: {initContainers: [{name: init, image: 'busybox@sha256:def'}]}}}",
		},
		{
			reason: "a predicate that leads nowhere is an error", overriders: "imageOverrider: [{predicate: {path: /spec/image}, component: Tag, operator: remove}]",
			err: "OverridePolicy p: rule 0: imageOverrider[0]: /spec/image: want a value, got none",
		},
		{
			reason: "words of a command and of arguments", overriders: "commandOverrider: [{containerName: web, operator: remove, value: [--slow]}]\nargsOverrider: [{containerName: web, operator: add, value: [-x, -y]}]",
			changed: "spec: {template: {spec: {containers: [{name: web, image: 'example.com:5000/team/web:v1', command: [run], args: [-v, -x, -y]}, {name: side, image: 'side@sha256:abc'}]}}}",
		},
		{
			reason: "labels: add sets, replace changes what is there, remove takes away", changed: "metadata: {labels: {app: other, new: a}, annotations: null}",
			overriders: "labelsOverrider: [{operator: add, value: {new: a}}, {operator: replace, value: {app: other, missing: x}}]\nannotationsOverrider: [{operator: remove, value: {big: ''}}]",
		},
		{
			reason: "a YAML document in a field", overriders: "fieldOverrider: [{fieldPath: /data/app.yaml, yaml: [{subPath: /level, operator: replace, value: debug}]}]",
			changed: `data: {app.yaml: "level: debug\nport: 80\n"}`,
		},
		{
			reason: "a JSON document in a field", overriders: "fieldOverrider: [{fieldPath: /data/app.json, json: [{subPath: /port, operator: add, value: 80}]}]",
			changed: `data: {app.json: '{"level":"info","port":80}'}`,
		},
		{reason: "a field without operations stays (the peer empties it)", overriders: "fieldOverrider: [{fieldPath: /data/app.json}]", changed: "{}"},
		{
			reason: "a field that is no document is an error", overriders: "fieldOverrider: [{fieldPath: /metadata/name, json: [{subPath: /a, operator: add, value: 1}]}]",
			err: `OverridePolicy p: rule 0: fieldOverrider[0]: /metadata/name: want a JSON document, got "web"`,
		},
		{
			reason: "plaintext comes last and has the last word", changed: "metadata: {labels: {app: last}}",
			overriders: "plaintext: [{path: /metadata/labels/app, operator: replace, value: last}]\nlabelsOverrider: [{operator: replace, value: {app: first}}]",
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			obj, before := decode(t, web), decode(t, web)
			p := policy(t, "p", "overrideRules: [{overriders: {}}]")
			require.NoError(t, yaml.UnmarshalStrict([]byte(tc.overriders), &p.Spec.OverrideRules[0].Overriders))

			got, err := override.Apply(obj, member1, override.Policies{Namespaced: []*policyv1alpha1.OverridePolicy{p}}, podTemplates)
			assert.Equal(t, before.Object, obj.Object, "the object passed in is not modified")
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				assert.Nil(t, got.Object)
				return
			}
			require.NoError(t, err)
			want := decode(t, web)
			merge(want.Object, decode(t, tc.changed).Object)
			assert.Equal(t, want.Object, got.Object.Object)
		})
	}
}

// merge applies a JSON merge patch (RFC 7386).
func merge(into, patch map[string]any) {
	for k, v := range patch {
		p, isMap := v.(map[string]any)
		old, wasMap := into[k].(map[string]any)
		switch {
		case v == nil:
			delete(into, k)
		case isMap && wasMap:
			merge(old, p)
		default:
			into[k] = v
		}
	}
}

func TestOrder(t *testing.T) {
	label := func(value string) string {
		return "overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {by: " + value + "}}]}}]\n"
	}
	byName := policy(t, "a-by-name", label("name")+"resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]")
	byLabel := policy(t, "b-by-label", label("label")+"resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {app: web}}}]")
	all := policy(t, "c-all", label("all"))
	other := policy(t, "d-other", label("other")+"resourceSelectors: [{apiVersion: v1, kind: Secret}]")
	elsewhere := policy(t, "e-elsewhere", label("elsewhere"))
	elsewhere.Namespace = "elsewhere"
	notHere := policy(t, "f-not-here", "overrideRules: [{targetCluster: {clusterNames: [member2]}, overriders: {labelsOverrider: [{operator: add, value: {by: f}}]}}]")
	cluster := &policyv1alpha1.ClusterOverridePolicy{ObjectMeta: metav1.ObjectMeta{Name: "z"}, Spec: byName.Spec}

	got, err := override.Apply(decode(t, web), member1, override.Policies{
		Cluster:    []*policyv1alpha1.ClusterOverridePolicy{cluster},
		Namespaced: []*policyv1alpha1.OverridePolicy{byName, other, all, elsewhere, byLabel, notHere},
	}, podTemplates)
	require.NoError(t, err)
	var names []string
	for _, a := range append(got.Cluster, got.Namespaced...) {
		names = append(names, a.PolicyName)
	}
	assert.Equal(t, []string{"z", "c-all", "b-by-label", "a-by-name"}, names)
	assert.Equal(t, "name", got.Object.GetLabels()["by"])
}

func TestTheOlderForm(t *testing.T) {
	p := policy(t, "old", `
targetCluster: {clusterNames: [member1]}
overriders: {plaintext: [{path: /spec/template/spec/containers/0/image, operator: replace, value: "nginx:test"}]}`)
	policies := override.Policies{Namespaced: []*policyv1alpha1.OverridePolicy{p}}
	image := func(cluster string) any {
		got, err := override.Apply(decode(t, web), &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: cluster}}, policies, podTemplates)
		require.NoError(t, err)
		containers, _, err := unstructured.NestedSlice(got.Object.Object, "spec", "template", "spec", "containers")
		require.NoError(t, err)
		return containers[0].(map[string]any)["image"]
	}
	assert.Equal(t, "nginx:test", image("member1"))
	assert.Equal(t, "example.com:5000/team/web:v1", image("member2"))
}

func TestNothingToDoCopiesNothing(t *testing.T) {
	obj := decode(t, web)
	got, err := override.Apply(obj, member1, override.Policies{}, podTemplates)
	require.NoError(t, err)
	assert.Same(t, obj, got.Object)
}

func TestParseImage(t *testing.T) {
	for name, want := range map[string]override.Image{
		"nginx":                              {Repository: "nginx"},
		"nginx:1.25":                         {Repository: "nginx", Tag: "1.25"},
		"library/nginx":                      {Repository: "library/nginx"},
		"localhost/nginx":                    {Registry: "localhost", Repository: "nginx"},
		"registry:5000/a/b:v1@sha256:abcdef": {Registry: "registry:5000", Repository: "a/b", Tag: "v1", Digest: "sha256:abcdef"},
		"registry.k8s.io/pause@sha256:abc":   {Registry: "registry.k8s.io", Repository: "pause", Digest: "sha256:abc"},
	} {
		got, err := override.ParseImage(name)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
		assert.Equal(t, name, got.String(), "printing gives the name back")
	}
	for _, name := range []string{"", ":v1", "a b"} {
		_, err := override.ParseImage(name)
		require.Error(t, err, "%q", name)
	}
}
