package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Binding is what ResourceBinding and ClusterResourceBinding have in common.
//
// +kubebuilder:object:generate=false
type Binding interface {
	metav1.Object
	runtime.Object

	// BindingSpec returns the binding's spec, which is the binding's own.
	BindingSpec() *ResourceBindingSpec
	// BindingStatus returns the binding's status, which is the binding's own.
	BindingStatus() *ResourceBindingStatus
	// DeepCopyBinding returns a copy of the binding.
	DeepCopyBinding() Binding
}

var (
	_ Binding = (*ResourceBinding)(nil)
	_ Binding = (*ClusterResourceBinding)(nil)
)

// BindingSpec returns &b.Spec.
func (b *ResourceBinding) BindingSpec() *ResourceBindingSpec { return &b.Spec }

// BindingStatus returns &b.Status.
func (b *ResourceBinding) BindingStatus() *ResourceBindingStatus { return &b.Status }

// DeepCopyBinding is DeepCopy.
func (b *ResourceBinding) DeepCopyBinding() Binding { return b.DeepCopy() }

// BindingSpec returns &b.Spec.
func (b *ClusterResourceBinding) BindingSpec() *ResourceBindingSpec { return &b.Spec }

// BindingStatus returns &b.Status.
func (b *ClusterResourceBinding) BindingStatus() *ResourceBindingStatus { return &b.Status }

// DeepCopyBinding is DeepCopy.
func (b *ClusterResourceBinding) DeepCopyBinding() Binding { return b.DeepCopy() }
