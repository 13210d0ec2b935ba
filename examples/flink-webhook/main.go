// Flink-webhook tells a federation what a FlinkDeployment means. Copy it for your own operator.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"example.com/flink-webhook/v1beta1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/webhook"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

// flink has one function for each operation that is worth one; of the others the control plane asks no webhook.
var flink = webhook.Kind[v1beta1.FlinkDeployment, v1beta1.Status]{
	Kind: schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"},

	Replicas: func(_ context.Context, d *v1beta1.FlinkDeployment) (int32, *workv1alpha2.ReplicaRequirements, error) {
		needs := component("jobmanager", 0, d, d.Spec.JobManager).ReplicaRequirements
		for name, quantity := range requests(d.Spec.TaskManager) { // a replica may be either: the greater of both
			if other, ok := needs.ResourceRequest[name]; !ok || quantity.Cmp(other) >= 0 {
				needs.ResourceRequest[name] = quantity
			}
		}
		return jobManagers(d) + taskManagers(d), &workv1alpha2.ReplicaRequirements{
			Namespace: d.Namespace, NodeClaim: needs.NodeClaim, ResourceRequest: needs.ResourceRequest, PriorityClassName: needs.PriorityClassName,
		}, nil
	},
	Components: func(_ context.Context, d *v1beta1.FlinkDeployment) ([]workv1alpha2.Component, error) {
		return []workv1alpha2.Component{
			component("jobmanager", jobManagers(d), d, d.Spec.JobManager), component("taskmanager", taskManagers(d), d, d.Spec.TaskManager),
		}, nil
	},
	Reflect: func(_ context.Context, d *v1beta1.FlinkDeployment) (*v1beta1.Status, error) { return &d.Status, nil },
	Aggregate: func(_ context.Context, d *v1beta1.FlinkDeployment, items []webhook.Item[v1beta1.Status]) error {
		if items == nil {
			return nil
		}
		d.Status = v1beta1.Status{Error: new(""), JobManagerDeploymentStatus: new(""), LifecycleState: new(""), ObservedGeneration: new(int64(0))}
		for _, item := range items { // it runs in one cluster: the last that knows it counts
			if item.Status != nil {
				d.Status = *item.Status
			}
		}
		return nil
	},
	// Unhealthy is what moving to another cluster could mend, not a mistake of the user or a job that has ended.
	Health: func(_ context.Context, d *v1beta1.FlinkDeployment) (interpreter.Health, error) {
		healthy := false
		switch s := d.Status; s.JobStatus["state"] {
		case nil:
			healthy = ptr.Deref(s.JobManagerDeploymentStatus, "") == "READY" && ptr.Deref(s.LifecycleState, "") == "STABLE"
		case "CREATED", "INITIALIZING", "RECONCILING":
			healthy = slices.ContainsFunc([]string{"ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff"}, func(mistake string) bool {
				return strings.Contains(ptr.Deref(s.Error, ""), mistake)
			})
		case "RUNNING", "FINISHED", "FAILED", "CANCELED", "SUSPENDED", "CANCELLING", "FAILING", "RESTARTING":
			healthy = true
		}
		return interpreter.HealthOf(healthy), nil
	},
}

func jobManagers(d *v1beta1.FlinkDeployment) int32 { return ptr.Deref(d.Spec.JobManager.Replicas, 1) }

func taskManagers(d *v1beta1.FlinkDeployment) int32 {
	slots, err := strconv.Atoi(fmt.Sprint(d.Spec.FlinkConfiguration["taskmanager.numberOfTaskSlots"]))
	if p := d.Spec.Job.Parallelism; d.Spec.TaskManager.Replicas == nil && p != nil && err == nil && slots > 0 {
		return (*p + int32(slots) - 1) / int32(slots)
	}
	return ptr.Deref(d.Spec.TaskManager.Replicas, 1)
}

func component(name string, replicas int32, d *v1beta1.FlinkDeployment, r v1beta1.Role) workv1alpha2.Component {
	pod := d.Spec.PodTemplate.Spec
	needs := &workv1alpha2.ComponentReplicaRequirements{ResourceRequest: requests(r), PriorityClassName: pod.PriorityClassName}
	if len(pod.NodeSelector) > 0 || len(pod.Tolerations) > 0 {
		needs.NodeClaim = &workv1alpha2.NodeClaim{NodeSelector: pod.NodeSelector, Tolerations: pod.Tolerations}
	}
	return workv1alpha2.Component{Name: name, Replicas: replicas, ReplicaRequirements: needs}
}

func requests(r v1beta1.Role) corev1.ResourceList {
	out := corev1.ResourceList{}
	for _, list := range []corev1.ResourceList{r.Resource, r.Resources.Limits, r.Resources.Requests} { // the last that has it
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if quantity, ok := list[name]; ok {
				out[name] = quantity
			}
		}
	}
	return out
}

func main() {
	bind := flag.String("bind", ":9443", "address to serve at")
	cert := flag.String("cert", "/tls/tls.crt", "file with the certificate, read again when it changes")
	key := flag.String("key", "/tls/tls.key", "file with its key")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	certificate, err := webhook.NewFileCertificate(*cert, *key)
	if err == nil {
		err = (&webhook.Server{Interpreter: flink, Certificate: certificate.Certificate}).ListenAndServe(ctx, *bind)
	}
	stop()
	if err != nil {
		log.Fatal(err)
	}
}
