package v1alpha2

// Labels and annotations that tie Works, bindings and templates together.
const (
	// ResourceBindingPermanentIDLabel holds a ResourceBinding's permanent id, on it and on its Works.
	ResourceBindingPermanentIDLabel = "resourcebinding.karmada.io/permanent-id"
	// ResourceBindingNamespaceAnnotation holds the namespace of the ResourceBinding that a Work belongs to.
	ResourceBindingNamespaceAnnotation = "resourcebinding.karmada.io/namespace"
	// ResourceBindingNameAnnotation holds the name of the ResourceBinding that a Work belongs to.
	ResourceBindingNameAnnotation = "resourcebinding.karmada.io/name"
	// DependenciesAnnotation holds, on a ResourceBinding, the dependencies of its object as JSON.
	DependenciesAnnotation = "resourcebinding.karmada.io/dependencies"
	// DependedByLabelPrefix begins a label, "resourcebinding.karmada.io/depended-by-<hash>", of a dependency's binding
	// that holds the permanent id of the binding it travels along with.
	DependedByLabelPrefix = "resourcebinding.karmada.io/depended-by-"
	// BindingManagedByLabel names, on a binding, the controller that made it.
	BindingManagedByLabel = "binding.karmada.io/managed-by"

	// ClusterResourceBindingPermanentIDLabel holds a ClusterResourceBinding's permanent id, on it and on its Works.
	ClusterResourceBindingPermanentIDLabel = "clusterresourcebinding.karmada.io/permanent-id"
	// ClusterResourceBindingAnnotation holds the name of the ClusterResourceBinding that a Work belongs to.
	ClusterResourceBindingAnnotation = "clusterresourcebinding.karmada.io/name"

	// WorkPermanentIDLabel holds a Work's permanent id, on it and on its object in the member cluster.
	WorkPermanentIDLabel = "work.karmada.io/permanent-id"
	// WorkNamespaceAnnotation holds, on an object in a member cluster, the namespace of its Work.
	WorkNamespaceAnnotation = "work.karmada.io/namespace"
	// WorkNameAnnotation holds, on an object in a member cluster, the name of its Work.
	WorkNameAnnotation = "work.karmada.io/name"

	// ResourceConflictResolutionAnnotation says, on a template and on the object in a Work, what happens when the object
	// exists already: ResourceConflictResolutionOverwrite or ResourceConflictResolutionAbort.
	ResourceConflictResolutionAnnotation = "work.karmada.io/conflict-resolution"
)

// Values of ResourceConflictResolutionAnnotation.
const (
	ResourceConflictResolutionOverwrite = "overwrite"
	ResourceConflictResolutionAbort     = "abort"
)

// Labels and annotations of templates and of their copies in member clusters.
const (
	// ResourceTemplateGenerationAnnotation holds, on the copy, the template's metadata.generation.
	ResourceTemplateGenerationAnnotation = "resourcetemplate.karmada.io/generation"
	// ResourceTemplateUIDAnnotation holds, on the copy, the template's UID.
	ResourceTemplateUIDAnnotation = "resourcetemplate.karmada.io/uid"
	// ManagedLabels holds, on the copy, the keys of the labels that came with it, separated by commas.
	ManagedLabels = "resourcetemplate.karmada.io/managed-labels"
	// ManagedAnnotations holds, on the copy, the keys of the annotations that came with it, separated by commas.
	ManagedAnnotations = "resourcetemplate.karmada.io/managed-annotations"
	// RetainReplicasLabel, when it is RetainReplicasValue on a template, leaves the number of replicas to the members.
	RetainReplicasLabel = "resourcetemplate.karmada.io/retain-replicas"
	// RetainReplicasValue is the value of RetainReplicasLabel.
	RetainReplicasValue = "true"
	// ResourceTemplateClaimedByLabel, on a template, names another controller that propagates it.
	ResourceTemplateClaimedByLabel = "resourcetemplate.karmada.io/claimed-by"
	// DeletionProtectionLabelKey, when it is DeletionProtectionAlways on an object, denies its deletion.
	DeletionProtectionLabelKey = "resourcetemplate.karmada.io/deletion-protected"
	// DeletionProtectionAlways is the value of DeletionProtectionLabelKey.
	DeletionProtectionAlways = "Always"

	// ManagedByKarmadaLabel marks, with ManagedByKarmadaLabelValue, what the controllers created in a member cluster.
	ManagedByKarmadaLabel = "karmada.io/managed"
	// ManagedByKarmadaLabelValue is the value of ManagedByKarmadaLabel.
	ManagedByKarmadaLabelValue = "true"
	// KarmadaSystemLabel marks, with KarmadaSystemLabelValue, what belongs to the federation itself.
	KarmadaSystemLabel = "karmada.io/system"
	// KarmadaSystemLabelValue is the value of KarmadaSystemLabel.
	KarmadaSystemLabelValue = "true"

	// CachedFromClusterAnnotation holds, on an object in an answer over several clusters, the cluster that it is from.
	CachedFromClusterAnnotation = "resource.karmada.io/cached-from-cluster"
)

// Finalizers of bindings and Works.
const (
	// ExecutionControllerFinalizer keeps a Work until its object in the member cluster is gone.
	ExecutionControllerFinalizer = "karmada.io/execution-controller"
	// BindingControllerFinalizer keeps a ResourceBinding until its Works are gone.
	BindingControllerFinalizer = "karmada.io/binding-controller"
	// ClusterResourceBindingControllerFinalizer keeps a ClusterResourceBinding until its Works are gone.
	ClusterResourceBindingControllerFinalizer = "karmada.io/cluster-resource-binding-controller"
	// BindingDependenciesDistributorFinalizer keeps a ResourceBinding until its dependencies have been released.
	BindingDependenciesDistributorFinalizer = "karmada.io/binding-dependencies-distributor"
)
