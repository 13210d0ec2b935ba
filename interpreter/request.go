package interpreter

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// Request is one question about one object. It has the fields of the webhook protocol's request, with the objects
// decoded. A Rule must not modify it.
//
// Objects hold the values that decoding JSON with int64 gives: nil, bool, int64, float64, string, map[string]any and
// []any.
type Request struct {
	// UID identifies the question on the wire. It may be empty in process.
	UID types.UID
	// Kind is the kind of Object.
	Kind schema.GroupVersionKind
	// Name and Namespace are those of Object.
	Name, Namespace string
	// Operation is what is asked.
	Operation Operation
	// Object is the object the question is about: the desired one for Retain, the template for AggregateStatus.
	Object *unstructured.Unstructured
	// ObservedObject is the object in the member cluster. Only Retain has one.
	ObservedObject *unstructured.Unstructured
	// DesiredReplicas is the number of replicas that ReviseReplica asks for; at least 0.
	DesiredReplicas int32
	// AggregatedStatus holds what the members report, for AggregateStatus. Nil means that there is no list at all, which
	// some kinds answer otherwise than an empty one.
	AggregatedStatus []StatusItem
	// Cluster is the member cluster that ReviseReplica and Retain are about; empty when the asker does not say.
	Cluster string
	// Targets are all clusters that the object is placed on, with their replicas, for ReviseReplica and Retain; nil when
	// the asker does not say.
	Targets []workv1alpha2.TargetCluster
}

// StatusItem is what one member cluster reports about an object.
type StatusItem struct {
	// ClusterName is the member's name, unique within a request unless it is empty.
	ClusterName string
	// Status is the status collected from the member; nil when it has none.
	Status map[string]any
	// Applied tells whether the object is applied in the member.
	Applied bool
	// AppliedMessage says why it is not.
	AppliedMessage string
	// Health is the object's health in the member; empty when unknown.
	Health workv1alpha2.ResourceHealth
}

// Response is the answer to a Request. The operation says which fields count (OperationInfo.Result); the others are
// zero. It shares no memory with the request, and is the caller's.
type Response struct {
	// Replicas is the number of replicas; at least 0.
	Replicas int32
	// ReplicaRequirements is what each replica needs; nil for nothing in particular.
	ReplicaRequirements *workv1alpha2.ReplicaRequirements
	// Components are the object's pod templates; nil and empty both mean none.
	Components []workv1alpha2.Component
	// Object is the changed object, with the identity of Request.Object.
	Object *unstructured.Unstructured
	// Status is the status to collect; nil for none.
	Status map[string]any
	// Health is the object's state.
	Health Health
	// Dependencies are the objects that must travel along, without duplicates and sorted (SortDependencies).
	Dependencies []configv1alpha1.DependentObjectReference
}

// HealthState is a state of health.
type HealthState string

// The states of health, those of Argo CD.
const (
	// Healthy means that the object does what it should.
	Healthy HealthState = "Healthy"
	// Progressing means that it is not healthy yet, and likely to become so without help.
	Progressing HealthState = "Progressing"
	// Degraded means that it failed, or could not become healthy in time.
	Degraded HealthState = "Degraded"
	// Suspended means that it was told to pause; that is how it should be.
	Suspended HealthState = "Suspended"
	// Missing means that the object does not exist.
	Missing HealthState = "Missing"
	// Unknown means that its health cannot be told.
	Unknown HealthState = "Unknown"
)

// HealthStates returns all states of health.
func HealthStates() []HealthState {
	return []HealthState{Healthy, Progressing, Degraded, Suspended, Missing, Unknown}
}

// Health is a state and why it is so.
type Health struct {
	// State is one of HealthStates.
	State HealthState
	// Message says why, for a person. It may be empty.
	Message string
}

// Healthy tells whether the state counts as healthy where only yes and no are known: Healthy and Suspended do.
func (h Health) Healthy() bool {
	return h.State == Healthy || h.State == Suspended
}

// HealthOf returns the Health of a plain verdict: Healthy, or Degraded.
func HealthOf(healthy bool) Health {
	if healthy {
		return Health{State: Healthy}
	}
	return Health{State: Degraded}
}

// Complete fills Kind, Name and Namespace from Object and says what the request lacks: an object with a kind, a known
// operation, the inputs of that operation. A Rule may rely on a request that Complete accepted.
func (r *Request) Complete() error {
	info := r.Operation.Info()
	if info == nil {
		known, err := ParseOperation(string(r.Operation))
		if err == nil { // but for the letter case
			err = fmt.Errorf("unknown operation %q: want %s", r.Operation, known)
		}
		return err
	}
	if err := checkObject("object", r.Object); err != nil {
		return err
	}
	r.Kind = r.Object.GroupVersionKind()
	r.Name, r.Namespace = r.Object.GetName(), r.Object.GetNamespace()
	if info.Takes(InputObserved) {
		if err := checkObject("observedObject", r.ObservedObject); err != nil {
			return err
		}
	}
	if info.Takes(InputReplicas) && r.DesiredReplicas < 0 {
		return fmt.Errorf("replicas: want at least 0, got %d", r.DesiredReplicas)
	}
	if info.Takes(InputItems) {
		return checkItems(r.AggregatedStatus)
	}
	return nil
}

func checkObject(field string, o *unstructured.Unstructured) error {
	switch {
	case o == nil || len(o.Object) == 0:
		return fmt.Errorf("%s: want an object, got none", field)
	case o.GetKind() == "":
		return fmt.Errorf("%s.kind: want a kind, got none", field)
	case o.GetAPIVersion() == "":
		return fmt.Errorf("%s.apiVersion: want a group and version, got none", field)
	}
	return nil
}

func checkItems(items []StatusItem) error {
	if len(items) < 2 {
		return nil
	}
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		if item.ClusterName != "" && seen[item.ClusterName] {
			return fmt.Errorf("aggregatedStatus: cluster %q appears twice: want one item for each cluster", item.ClusterName)
		}
		seen[item.ClusterName] = true
	}
	return nil
}

// DecodeItem returns the StatusItem of the wire's item. A status that is not an object is an error that names the
// cluster.
func DecodeItem(item workv1alpha2.AggregatedStatusItem) (StatusItem, error) {
	out := StatusItem{
		ClusterName:    item.ClusterName,
		Applied:        item.Applied,
		AppliedMessage: item.AppliedMessage,
		Health:         item.Health,
	}
	if item.Status == nil || len(item.Status.Raw) == 0 || string(item.Status.Raw) == "null" {
		return out, nil
	}
	var status any
	if err := utiljson.Unmarshal(item.Status.Raw, &status); err != nil {
		return StatusItem{}, fmt.Errorf("%s: status: %w", item.ClusterName, err)
	}
	fields, ok := status.(map[string]any)
	if !ok {
		return StatusItem{}, fmt.Errorf("%s: %w", item.ClusterName, value.Wrong("status", "an object", status))
	}
	out.Status = fields
	return out, nil
}

// DecodeItems decodes each item; nil stays nil.
func DecodeItems(items []workv1alpha2.AggregatedStatusItem) ([]StatusItem, error) {
	if items == nil {
		return nil, nil
	}
	out := make([]StatusItem, len(items))
	var errs []error
	for i := range items {
		var err error
		if out[i], err = DecodeItem(items[i]); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return out, nil
}
