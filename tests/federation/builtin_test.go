package federation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/manifest"
)

const pod = `{containers: [{name: main, image: nginx, resources: {requests: {cpu: 10m}}}]}`

const template = `{metadata: {labels: {app: x}}, spec: ` + pod + `}`

// builtinObjects has an object of every built-in kind, all called "it".
var builtinObjects = map[string]string{
	"apps/v1 Deployment":                     `spec: {replicas: 1, selector: {matchLabels: {app: x}}, template: ` + template + `}`,
	"apps/v1 ReplicaSet":                     `spec: {replicas: 1, selector: {matchLabels: {app: x}}, template: ` + template + `}`,
	"apps/v1 StatefulSet":                    `spec: {replicas: 1, serviceName: it, selector: {matchLabels: {app: x}}, template: ` + template + `}`,
	"apps/v1 DaemonSet":                      `spec: {selector: {matchLabels: {app: x}}, template: ` + template + `}`,
	"batch/v1 Job":                           `spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: nginx}]}}}`,
	"batch/v1 CronJob":                       `spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: nginx}]}}}}}`,
	"v1 Pod":                                 `spec: ` + pod,
	"v1 Service":                             `spec: {selector: {app: x}, ports: [{port: 80}]}`,
	"v1 ServiceAccount":                      ``,
	"v1 Secret":                              `stringData: {a: b}`,
	"v1 PersistentVolumeClaim":               `spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}`,
	"v1 PersistentVolume":                    `spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /tmp}, storageClassName: none}`,
	"networking.k8s.io/v1 Ingress":           `spec: {defaultBackend: {service: {name: it, port: {number: 80}}}}`,
	"policy/v1 PodDisruptionBudget":          `spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}`,
	"autoscaling/v2 HorizontalPodAutoscaler": `spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: it}}`,
}

// Every built-in kind goes out to two members and comes back, without a warning and without a switch on a kind.
func TestBuiltinKinds(t *testing.T) {
	ns := newNamespace(t)
	for _, gvk := range builtin.Kinds() {
		if gvk.Group == "multicluster.x-k8s.io" {
			continue // its definition is not Kubernetes' own
		}
		t.Run(gvk.Group+"/"+gvk.Kind, func(t *testing.T) {
			t.Parallel()
			body, ok := builtinObjects[gvk.GroupVersion().String()+" "+gvk.Kind]
			require.True(t, ok, "builtinObjects has an object of every kind")
			name := "it-" + strings.ToLower(gvk.Kind)
			kind, namespace, bindingResource := "PropagationPolicy", ns, bindings
			if gvk.Kind == "PersistentVolume" {
				kind, namespace, bindingResource.Resource = "ClusterPropagationPolicy", "", "clusterresourcebindings"
			}
			documents := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: %s}\n%s\n---\napiVersion: policy.karmada.io/v1alpha1\nkind: %s\nmetadata: {name: %s}\nspec:\n  resourceSelectors: [{apiVersion: %s, kind: %s, name: %s}]\n  placement: %s\n",
				gvk.GroupVersion(), gvk.Kind, name, body, kind, name, gvk.GroupVersion(), gvk.Kind, name, twoMembers)
			_, err := manifest.Objects(name, []byte(documents))
			require.NoError(t, err)
			apply(t, namespace, documents)
			awaits(t, control(), bindingResource, namespace, name+"-"+strings.ToLower(gvk.Kind), "fully applied", func(o *unstructured.Unstructured) error {
				if conditionOf(o, "FullyApplied") != "True" {
					return fmt.Errorf("status is %v", o.Object["status"])
				}
				return nil
			})
			noWarnings(t, namespace, name)
		})
	}
}
