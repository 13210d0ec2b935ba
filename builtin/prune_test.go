package builtin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/builtin"
)

// object returns the object that text, YAML, describes.
func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	out := &unstructured.Unstructured{}
	require.NoError(t, utiljson.Unmarshal(data, &out.Object))
	return out
}

func TestPrune(t *testing.T) {
	for _, tc := range []struct{ reason, in, want string }{
		{
			"what API servers write, of any kind; labels, annotations and unknown fields travel",
			`{apiVersion: example.com/v1, kind: Thing, status: {ready: true}, spec: {status: {}, uid: u}, comingField: null,
			  metadata: {name: it, namespace: shop, labels: {a: b}, annotations: {c: d}, comingField: {}, creationTimestamp: null, deletionTimestamp: "2026-01-01T00:00:00Z",
			    deletionGracePeriodSeconds: 30, generation: 3, managedFields: [{}], resourceVersion: "1", selfLink: /x, uid: u, ownerReferences: [{}], finalizers: [a]}}`,
			`{apiVersion: example.com/v1, kind: Thing, spec: {status: {}, uid: u}, comingField: null,
			  metadata: {name: it, namespace: shop, labels: {a: b}, annotations: {c: d}, comingField: {}}}`,
		},
		{
			"a Deployment's revisions are counted in each cluster",
			`{apiVersion: apps/v1, kind: Deployment, metadata: {annotations: {deployment.kubernetes.io/revision: "2", deployment.kubernetes.io/revision-history: "1", a: b}}}`,
			`{apiVersion: apps/v1, kind: Deployment, metadata: {annotations: {a: b}}}`,
		},
		{
			"annotations that are emptied go; those that were empty stay",
			`{apiVersion: apps/v1, kind: Deployment, metadata: {annotations: {deployment.kubernetes.io/revision: "2"}}, spec: {template: {metadata: {annotations: {}, creationTimestamp: null}}}}`,
			`{apiVersion: apps/v1, kind: Deployment, metadata: {}, spec: {template: {metadata: {annotations: {}, creationTimestamp: null}}}}`,
		},
		{
			"a Job's selector is made up by its controller, and a member must not delete a finished Job",
			`{apiVersion: batch/v1, kind: Job, spec: {ttlSecondsAfterFinished: 60, selector: {matchLabels: {controller-uid: u, batch.kubernetes.io/controller-uid: u, mine: a}},
			  template: {metadata: {labels: {controller-uid: u, batch.kubernetes.io/controller-uid: u, job-name: j, batch.kubernetes.io/job-name: j, app: x}}}}}`,
			`{apiVersion: batch/v1, kind: Job, spec: {selector: {matchLabels: {mine: a}}, template: {metadata: {labels: {app: x}}}}}`,
		},
		{
			"a selector that the user chose is kept, the time to live is not",
			`{apiVersion: batch/v1, kind: Job, spec: {manualSelector: true, ttlSecondsAfterFinished: 60, selector: {matchLabels: {controller-uid: mine}}, template: {metadata: {labels: {job-name: mine}}}}}`,
			`{apiVersion: batch/v1, kind: Job, spec: {manualSelector: true, selector: {matchLabels: {controller-uid: mine}}, template: {metadata: {labels: {job-name: mine}}}}}`,
		},
		{
			"a Job of another group keeps everything; the peer goes by kind alone",
			`{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, spec: {ttlSecondsAfterFinished: 60, template: {metadata: {labels: {job-name: mine}}}}}`,
			`{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, spec: {ttlSecondsAfterFinished: 60, template: {metadata: {labels: {job-name: mine}}}}}`,
		},
		{
			"a Service of another group keeps everything",
			`{apiVersion: serving.knative.dev/v1, kind: Service, spec: {clusterIP: 1.2.3.4}}`,
			`{apiVersion: serving.knative.dev/v1, kind: Service, spec: {clusterIP: 1.2.3.4}}`,
		},
		{
			"the group counts, not the version",
			`{apiVersion: batch/v1beta1, kind: Job, spec: {ttlSecondsAfterFinished: 60}}`,
			`{apiVersion: batch/v1beta1, kind: Job, spec: {}}`,
		},
		{
			"a Service's addresses are allocated in each cluster",
			`{apiVersion: v1, kind: Service, spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: []}}`,
			`{apiVersion: v1, kind: Service, spec: {ports: []}}`,
		},
		{
			"a headless Service stays one",
			`{apiVersion: v1, kind: Service, spec: {clusterIP: None, clusterIPs: [None]}}`,
			`{apiVersion: v1, kind: Service, spec: {clusterIP: None, clusterIPs: [None]}}`,
		},
		{
			"tokens are issued in each cluster",
			`{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {annotations: {kubernetes.io/service-account.uid: u, kubernetes.io/service-account.name: robot}}, data: {token: eA==}}`,
			`{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {annotations: {kubernetes.io/service-account.name: robot}}}`,
		},
		{
			"other Secrets travel whole",
			`{apiVersion: v1, kind: Secret, type: Opaque, metadata: {annotations: {kubernetes.io/service-account.uid: u}}, data: {token: eA==}}`,
			`{apiVersion: v1, kind: Secret, type: Opaque, metadata: {annotations: {kubernetes.io/service-account.uid: u}}, data: {token: eA==}}`,
		},
		{
			"the control plane's token Secrets stay behind",
			`{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot}, secrets: [{name: robot-token-abcde}, {name: mine}, {name: robots-token-x}]}`,
			`{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot}, secrets: [{name: mine}, {name: robots-token-x}]}`,
		},
		{
			"a list that is emptied goes",
			`{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot}, secrets: [{name: robot-token-abcde}]}`,
			`{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot}}`,
		},
		{
			"the node that a claim was bound for is the cluster's own",
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {annotations: {volume.kubernetes.io/selected-node: n, a: b}}}`,
			`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {annotations: {a: b}}}`,
		},
		{
			"what is of the wrong shape stays",
			`{apiVersion: batch/v1, kind: Job, metadata: {name: it, annotations: x}, spec: {selector: [], template: {metadata: {labels: y}}}}`,
			`{apiVersion: batch/v1, kind: Job, metadata: {name: it, annotations: x}, spec: {selector: [], template: {metadata: {labels: y}}}}`,
		},
		{"nothing at all", `{apiVersion: v1, kind: Service, metadata: null, spec: 3}`, `{apiVersion: v1, kind: Service, metadata: null, spec: 3}`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			in := object(t, tc.in)
			before := in.DeepCopy()
			got := builtin.Prune(in)
			assert.Equal(t, object(t, tc.want), got)
			assert.Equal(t, got, builtin.Prune(got), "pruning twice is pruning once")
			scramble(got.Object)
			assert.Equal(t, before, in, "the object was modified")
		})
	}
}

func TestPodTemplatePaths(t *testing.T) {
	for _, tc := range []struct {
		gvk  schema.GroupVersionKind
		want [][]string
	}{
		{schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, [][]string{{"spec", "template"}}},
		{schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DaemonSet"}, [][]string{{"spec", "template"}}},
		{schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"}, [][]string{{"spec", "jobTemplate", "spec", "template"}}},
		{schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, [][]string{{}}},
		{schema.GroupVersionKind{Version: "v1", Kind: "Service"}, nil},
		{schema.GroupVersionKind{Group: "batch.volcano.sh", Version: "v1alpha1", Kind: "Job"}, nil},
	} {
		got := builtin.PodTemplatePaths(tc.gvk)
		assert.Equal(t, tc.want, got, tc.gvk)
		if len(got) > 0 && len(got[0]) > 0 {
			got[0][0] = "changed"
			assert.Equal(t, tc.want, builtin.PodTemplatePaths(tc.gvk), "the result is the caller's")
		}
	}
}
