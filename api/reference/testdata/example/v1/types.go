// Package v1 holds what the tests of reference need.
//
// It has a second paragraph.
//
// +groupName=example.com
package v1

import (
	otherv1 "github.com/dragoman-io/dragoman/api/other/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Mode is how work is done.
type Mode string

// The modes.
const (
	// Fast is fast|furious.
	Fast Mode = "Fast"
	Slow Mode = "Slow"
)

// Workload is work.
//
// Deprecated: rest.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,shortName=wl,categories={all}
// +kubebuilder:validation:XValidation:rule="true",message="must be true"
type Workload struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Mode is the mode, * included.
	// +kubebuilder:default=Fast
	Mode Mode `json:"mode,omitempty"`
	// Names are
	// names.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:items:Pattern=`^[a|b]*$`
	// +listMapKey=name
	Names []string `json:"names"`
	// +optional
	Other   map[string]otherv1.Other `json:"other"`
	Any     *interface{}             `json:"any"`
	Data    []byte                   `json:"data"`
	Options `json:",inline"`
	ignored int
	Skipped int `json:"-"`
}

// WorkloadList is left out.
type WorkloadList struct{}

// Options are options.
type Options struct {
	// Level is between.
	// +kubebuilder:validation:Enum=1;2
	// +kubebuilder:validation:XValidation:rule="self > 0",message="must be more"
	Level int32 `json:"level"`
}

type hidden struct{}

// Worker is no type of JSON.
type Worker interface{ Work() }
