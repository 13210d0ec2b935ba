package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cluster is a member of the federation.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories={karmada-io}
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.kubernetesVersion`
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.syncMode`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Zones",type=string,priority=1,JSONPath=`.spec.zones`
// +kubebuilder:printcolumn:name="Region",type=string,priority=1,JSONPath=`.spec.region`
// +kubebuilder:printcolumn:name="Provider",type=string,priority=1,JSONPath=`.spec.provider`
// +kubebuilder:printcolumn:name="API-Endpoint",type=string,priority=1,JSONPath=`.spec.apiEndpoint`
// +kubebuilder:printcolumn:name="Proxy-URL",type=string,priority=1,JSONPath=`.spec.proxyURL`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && self.metadata.name.size() <= 48",message="metadata.name must be a DNS label of at most 48 characters"
type Cluster struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says how the cluster is reached, and what it is to the federation.
	Spec ClusterSpec `json:"spec"`

	// Status says how the cluster is.
	// +optional
	Status ClusterStatus `json:"status,omitzero"`
}

// ClusterList is a list of Cluster.
//
// +kubebuilder:object:root=true
type ClusterList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Cluster `json:"items"`
}

// ClusterSpec says how a cluster is reached, and what it is to the federation.
type ClusterSpec struct {
	// ID identifies the cluster for good: the UID of its namespace kube-system.
	// +optional
	ID string `json:"id,omitempty"`

	// SyncMode says who carries objects to the cluster.
	SyncMode ClusterSyncMode `json:"syncMode"`

	// APIEndpoint is the URL, or the host and port, of the cluster's API server.
	// +optional
	APIEndpoint string `json:"apiEndpoint,omitempty"`

	// SecretRef names the Secret with the credentials for the cluster: "token" and "caBundle".
	// +optional
	SecretRef *LocalSecretReference `json:"secretRef,omitempty"`

	// ImpersonatorSecretRef names the Secret with the token that impersonates users in the cluster.
	// +optional
	ImpersonatorSecretRef *LocalSecretReference `json:"impersonatorSecretRef,omitempty"`

	// InsecureSkipTLSVerification trusts whatever answers at APIEndpoint.
	// +optional
	InsecureSkipTLSVerification bool `json:"insecureSkipTLSVerification,omitempty"`

	// ProxyURL is the proxy through which the cluster is reached: http, https or socks5.
	// +optional
	// +kubebuilder:validation:Pattern=`^(https?|socks5)://.+`
	ProxyURL string `json:"proxyURL,omitempty"`

	// ProxyHeader are the headers that are sent to the proxy.
	// +optional
	ProxyHeader map[string]string `json:"proxyHeader,omitempty"`

	// Provider is the cloud that the cluster is in.
	// +optional
	Provider string `json:"provider,omitempty"`

	// Region is the region that the cluster is in.
	// +optional
	Region string `json:"region,omitempty"`

	// Zone is the zone that the cluster is in.
	//
	// Deprecated: use Zones.
	// +optional
	Zone string `json:"zone,omitempty"`

	// Zones are the zones that the cluster is in.
	// +optional
	// +listType=atomic
	Zones []string `json:"zones,omitempty"`

	// Taints keep objects away that do not tolerate them.
	// +optional
	// +listType=atomic
	Taints []corev1.Taint `json:"taints,omitempty"`

	// ResourceModels are classes of nodes by what they have.
	// +optional
	// +listType=map
	// +listMapKey=grade
	ResourceModels []ResourceModel `json:"resourceModels,omitempty"`
}

// ClusterSyncMode says who carries objects to a cluster.
//
// +kubebuilder:validation:Enum=Push;Pull
type ClusterSyncMode string

// The modes.
const (
	// Push means that the controllers write to the cluster.
	Push ClusterSyncMode = "Push"
	// Pull means that an agent in the cluster fetches from the control plane.
	Pull ClusterSyncMode = "Pull"
)

// LocalSecretReference names a Secret.
type LocalSecretReference struct {
	// Namespace is the namespace of the Secret.
	Namespace string `json:"namespace"`

	// Name is the name of the Secret.
	Name string `json:"name"`
}

// ResourceModel is a class of nodes.
type ResourceModel struct {
	// Grade is the index of the class, from 0 for the smallest nodes.
	// +kubebuilder:validation:Minimum=0
	Grade uint `json:"grade"`

	// Ranges say how much of each resource a node of the class has.
	// +listType=map
	// +listMapKey=name
	Ranges []ResourceModelRange `json:"ranges"`
}

// ResourceModelRange says how much of a resource a node has.
type ResourceModelRange struct {
	// Name is the resource.
	Name corev1.ResourceName `json:"name"`

	// Min is the least, itself included.
	Min resource.Quantity `json:"min"`

	// Max is the most, itself excluded.
	Max resource.Quantity `json:"max"`
}

// ClusterStatus says how a cluster is.
type ClusterStatus struct {
	// KubernetesVersion is the version of the cluster's API server.
	// +optional
	KubernetesVersion string `json:"kubernetesVersion,omitempty"`

	// APIEnablements are the kinds that the cluster serves.
	// +optional
	// +listType=atomic
	APIEnablements []APIEnablement `json:"apiEnablements,omitempty"`

	// Conditions are Ready and CompleteAPIEnablements.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// NodeSummary counts the cluster's nodes.
	// +optional
	NodeSummary *NodeSummary `json:"nodeSummary,omitempty"`

	// ResourceSummary sums up what the cluster's nodes have.
	// +optional
	ResourceSummary *ResourceSummary `json:"resourceSummary,omitempty"`

	// RemedyActions are what is done about the cluster's conditions.
	// +optional
	// +listType=atomic
	RemedyActions []string `json:"remedyActions,omitempty"`
}

// Types of a cluster's conditions.
const (
	// ClusterConditionReady says whether the cluster's API server answers and says that it is healthy.
	ClusterConditionReady = "Ready"
	// ClusterConditionCompleteAPIEnablements says whether APIEnablements is complete.
	ClusterConditionCompleteAPIEnablements = "CompleteAPIEnablements"
)

// APIEnablement is what a cluster serves of a group and version.
type APIEnablement struct {
	// GroupVersion is the group and version.
	GroupVersion string `json:"groupVersion"`

	// Resources are the kinds.
	// +optional
	// +listType=atomic
	Resources []APIResource `json:"resources,omitempty"`
}

// APIResource is a kind that a cluster serves.
type APIResource struct {
	// Name is the resource, the plural of the kind.
	Name string `json:"name"`

	// Kind is the kind.
	Kind string `json:"kind"`
}

// NodeSummary counts nodes.
type NodeSummary struct {
	// TotalNum is how many nodes there are.
	// +optional
	TotalNum int32 `json:"totalNum,omitempty"`

	// ReadyNum is how many of them are ready.
	// +optional
	ReadyNum int32 `json:"readyNum,omitempty"`
}

// ResourceSummary sums up what nodes have.
type ResourceSummary struct {
	// Allocatable is what pods may use.
	// +optional
	Allocatable corev1.ResourceList `json:"allocatable,omitempty"`

	// Allocating is what the pods that are not scheduled yet ask for.
	// +optional
	Allocating corev1.ResourceList `json:"allocating,omitempty"`

	// Allocated is what the pods that are scheduled ask for.
	// +optional
	Allocated corev1.ResourceList `json:"allocated,omitempty"`

	// AllocatableModelings counts nodes by their class.
	// +optional
	// +listType=atomic
	AllocatableModelings []AllocatableModeling `json:"allocatableModelings,omitempty"`
}

// AllocatableModeling counts the nodes of a class.
type AllocatableModeling struct {
	// Grade is the index of the class.
	Grade uint `json:"grade"`

	// Count is how many nodes are of the class.
	Count int `json:"count"`
}

// Taints that the controllers put on clusters.
const (
	// TaintClusterNotReady is on a cluster whose condition Ready is False.
	TaintClusterNotReady = "cluster.karmada.io/not-ready"
	// TaintClusterUnreachable is on a cluster whose condition Ready is Unknown.
	TaintClusterUnreachable = "cluster.karmada.io/unreachable"
	// TaintClusterTerminating is on a cluster that is being deleted.
	TaintClusterTerminating = "cluster.karmada.io/terminating"
)

// ClusterControllerFinalizer keeps a Cluster until its namespace and Works are gone.
const ClusterControllerFinalizer = "karmada.io/cluster-controller"
