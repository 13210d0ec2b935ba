package builtin_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	resourcehelper "k8s.io/component-helpers/resource"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// The rules of a Deployment in the usual way, the baseline of the benchmarks: each call converts the object to its typed
// form, and back where an object is the answer.

func typedDeployment(o *unstructured.Unstructured) (*appsv1.Deployment, error) {
	out := &appsv1.Deployment{}
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, out)
}

func untypedDeployment(d *appsv1.Deployment) (*unstructured.Unstructured, error) {
	plain, err := runtime.DefaultUnstructuredConverter.ToUnstructured(d)
	return &unstructured.Unstructured{Object: plain}, err
}

func typedReplica(o *unstructured.Unstructured) error {
	d, err := typedDeployment(o)
	if err != nil {
		return err
	}
	spec := &d.Spec.Template.Spec
	requirements := workv1alpha2.ReplicaRequirements{
		NodeClaim:       &workv1alpha2.NodeClaim{NodeSelector: spec.NodeSelector, Tolerations: spec.Tolerations},
		ResourceRequest: resourcehelper.PodRequests(&corev1.Pod{Spec: *spec}, resourcehelper.PodResourcesOptions{}),
	}
	if *d.Spec.Replicas != 6 || len(requirements.ResourceRequest) != 2 {
		return errors.New("the baseline is wrong")
	}
	return nil
}

func typedHealth(o *unstructured.Unstructured) error {
	d, err := typedDeployment(o)
	if err != nil {
		return err
	}
	if d.Status.ObservedGeneration != d.Generation || d.Status.UpdatedReplicas < *d.Spec.Replicas || d.Status.AvailableReplicas < d.Status.UpdatedReplicas {
		return errors.New("the baseline is wrong")
	}
	return nil
}

func typedDependency(o *unstructured.Unstructured) error {
	d, err := typedDeployment(o)
	if err != nil {
		return err
	}
	secrets, configMaps, claims := sets.New[string](), sets.New[string](), sets.New[string]()
	spec := &d.Spec.Template.Spec
	for _, c := range spec.Containers {
		for _, e := range c.Env {
			if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
				secrets.Insert(e.ValueFrom.SecretKeyRef.Name)
			}
		}
		for _, e := range c.EnvFrom {
			if e.ConfigMapRef != nil {
				configMaps.Insert(e.ConfigMapRef.Name)
			}
		}
	}
	for _, v := range spec.Volumes {
		switch {
		case v.Secret != nil:
			secrets.Insert(v.Secret.SecretName)
		case v.PersistentVolumeClaim != nil:
			claims.Insert(v.PersistentVolumeClaim.ClaimName)
		}
	}
	for _, s := range spec.ImagePullSecrets {
		secrets.Insert(s.Name)
	}
	refs := []configv1alpha1.DependentObjectReference{
		{APIVersion: "v1", Kind: "ServiceAccount", Namespace: d.Namespace, Name: spec.ServiceAccountName},
	}
	for kind, names := range map[string]sets.Set[string]{"Secret": secrets, "ConfigMap": configMaps, "PersistentVolumeClaim": claims} {
		for _, name := range sets.List(names) {
			refs = append(refs, configv1alpha1.DependentObjectReference{APIVersion: "v1", Kind: kind, Namespace: d.Namespace, Name: name})
		}
	}
	if len(refs) != 4 {
		return errors.New("the baseline is wrong")
	}
	return nil
}

// typedStatusOf is a status with what the generation standard adds.
type typedStatusOf struct {
	appsv1.DeploymentStatus    `json:",inline"`
	Generation                 int64 `json:"generation,omitempty"`
	ResourceTemplateGeneration int64 `json:"resourceTemplateGeneration,omitempty"`
}

func typedStatus(o *unstructured.Unstructured) error {
	d, err := typedDeployment(o)
	if err != nil {
		return err
	}
	out := typedStatusOf{DeploymentStatus: d.Status, Generation: d.Generation}
	out.Conditions = nil
	if out.ResourceTemplateGeneration, err = strconv.ParseInt(d.Annotations["resourcetemplate.karmada.io/generation"], 10, 64); err != nil {
		return err
	}
	_, err = json.Marshal(out)
	return err
}

func typedAggregate(o *unstructured.Unstructured, items []workv1alpha2.AggregatedStatusItem) error {
	d, err := typedDeployment(o)
	if err != nil {
		return err
	}
	merged := d.Status
	merged.Replicas, merged.ReadyReplicas, merged.UpdatedReplicas, merged.AvailableReplicas, merged.UnavailableReplicas = 0, 0, 0, 0, 0
	caughtUp := 0
	for i := range items {
		item := &items[i]
		var s typedStatusOf
		if err := json.Unmarshal(item.Status.Raw, &s); err != nil {
			return err
		}
		merged.Replicas += s.Replicas
		merged.ReadyReplicas += s.ReadyReplicas
		merged.UpdatedReplicas += s.UpdatedReplicas
		merged.AvailableReplicas += s.AvailableReplicas
		merged.UnavailableReplicas += s.UnavailableReplicas
		if s.ObservedGeneration >= s.Generation && s.ResourceTemplateGeneration >= d.Generation {
			caughtUp++
		}
	}
	if caughtUp == len(items) {
		merged.ObservedGeneration = d.Generation
	}
	if merged.Replicas != 6 || reflect.DeepEqual(merged, appsv1.DeploymentStatus{}) {
		return errors.New("the baseline is wrong")
	}
	d.Status = merged
	_, err = untypedDeployment(d)
	return err
}

func typedRevise(o *unstructured.Unstructured) error {
	d, err := typedDeployment(o)
	if err != nil {
		return err
	}
	*d.Spec.Replicas = 2
	_, err = untypedDeployment(d)
	return err
}

func typedRetain(o, observed *unstructured.Unstructured) error {
	d, err := typedDeployment(o)
	if err != nil {
		return err
	}
	theirs, err := typedDeployment(observed)
	if err != nil {
		return err
	}
	d.Spec.Replicas = theirs.Spec.Replicas
	_, err = untypedDeployment(d)
	return err
}
