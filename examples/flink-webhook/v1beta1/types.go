// Package v1beta1 has the fields of a FlinkDeployment that a federation asks about. The Flink operator is written in Java;
// an operator in Go has this package already.
package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FlinkDeployment is a Flink cluster, with a job or without.
type FlinkDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   Spec   `json:"spec"`
	Status Status `json:"status"`
}

// Spec is what the user asks for.
type Spec struct {
	JobManager         Role                   `json:"jobManager"`
	TaskManager        Role                   `json:"taskManager"`
	Job                Job                    `json:"job"`
	FlinkConfiguration map[string]any         `json:"flinkConfiguration,omitempty"`
	PodTemplate        corev1.PodTemplateSpec `json:"podTemplate"`
}

// Role is one of the two kinds of pods.
type Role struct {
	Replicas *int32 `json:"replicas,omitempty"`
	// Resource is deprecated, and what most manifests have.
	Resource  corev1.ResourceList         `json:"resource,omitempty"`
	Resources corev1.ResourceRequirements `json:"resources"`
}

// Job is what runs in the cluster.
type Job struct {
	Parallelism *int32 `json:"parallelism,omitempty"`
}

// Status is what the operator reports.
type Status struct {
	ClusterInfo                map[string]any `json:"clusterInfo,omitzero"`
	Error                      *string        `json:"error,omitempty"`
	JobManagerDeploymentStatus *string        `json:"jobManagerDeploymentStatus,omitempty"`
	JobStatus                  map[string]any `json:"jobStatus,omitzero"`
	LifecycleState             *string        `json:"lifecycleState,omitempty"`
	ObservedGeneration         *int64         `json:"observedGeneration,omitempty"`
	ReconciliationStatus       map[string]any `json:"reconciliationStatus,omitzero"`
	TaskManager                map[string]any `json:"taskManager,omitzero"`
}
