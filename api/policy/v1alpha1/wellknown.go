package v1alpha1

// Labels and annotations on templates and bindings that name the policy which claimed them.
const (
	// PropagationPolicyPermanentIDLabel holds the permanent id of the claiming PropagationPolicy. The policy itself
	// carries it as well.
	PropagationPolicyPermanentIDLabel = "propagationpolicy.karmada.io/permanent-id"
	// PropagationPolicyNamespaceAnnotation holds the namespace of the claiming PropagationPolicy.
	PropagationPolicyNamespaceAnnotation = "propagationpolicy.karmada.io/namespace"
	// PropagationPolicyNameAnnotation holds the name of the claiming PropagationPolicy.
	PropagationPolicyNameAnnotation = "propagationpolicy.karmada.io/name"

	// ClusterPropagationPolicyPermanentIDLabel holds the permanent id of the claiming ClusterPropagationPolicy. The
	// policy itself carries it as well.
	ClusterPropagationPolicyPermanentIDLabel = "clusterpropagationpolicy.karmada.io/permanent-id"
	// ClusterPropagationPolicyNameAnnotation holds the name of the claiming ClusterPropagationPolicy.
	ClusterPropagationPolicyNameAnnotation = "clusterpropagationpolicy.karmada.io/name"
)

// Annotations that record what a policy did to an object.
const (
	// AppliedPlacementAnnotation holds, on a binding, the placement that it was last scheduled by, as JSON.
	AppliedPlacementAnnotation = "policy.karmada.io/applied-placement"
	// AppliedOverridesAnnotation holds, on a Work, the OverridePolicies that were applied, as JSON.
	AppliedOverridesAnnotation = "policy.karmada.io/applied-overrides"
	// AppliedClusterOverridesAnnotation holds, on a Work, the ClusterOverridePolicies that were applied, as JSON.
	AppliedClusterOverridesAnnotation = "policy.karmada.io/applied-cluster-overrides"
)

// Finalizers of policies.
const (
	// PropagationPolicyControllerFinalizer keeps a PropagationPolicy until what it claimed has been released.
	PropagationPolicyControllerFinalizer = "karmada.io/propagation-policy-controller"
	// ClusterPropagationPolicyControllerFinalizer keeps a ClusterPropagationPolicy until what it claimed has been
	// released.
	ClusterPropagationPolicyControllerFinalizer = "karmada.io/cluster-propagation-policy-controller"
)

// NamespaceSkipAutoPropagationLabel keeps a namespace on which it is "true" out of the member clusters.
const NamespaceSkipAutoPropagationLabel = "namespace.karmada.io/skip-auto-propagation"

// DefaultSchedulerName is the scheduler of a policy that names none.
const DefaultSchedulerName = "default-scheduler"
