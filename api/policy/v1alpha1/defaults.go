package v1alpha1

// defaultGracePeriodSeconds is how long a purge may take that says nothing else.
const defaultGracePeriodSeconds int32 = 600

// Defaulted returns a copy of p with what the CRD cannot default: selectors look in p's namespace, and see
// PropagationSpec.Defaulted.
func (p *PropagationPolicy) Defaulted() *PropagationPolicy {
	defaulted := p.DeepCopy()
	defaulted.Spec = *p.Spec.Defaulted()
	defaultNamespaces(defaulted.Spec.ResourceSelectors, p.Namespace)
	return defaulted
}

// Defaulted returns a copy of p with what the CRD cannot default: see PropagationSpec.Defaulted.
func (p *ClusterPropagationPolicy) Defaulted() *ClusterPropagationPolicy {
	defaulted := p.DeepCopy()
	defaulted.Spec = *p.Spec.Defaulted()
	return defaulted
}

// Defaulted returns a copy of p with what the CRD cannot default: selectors look in p's namespace.
func (p *OverridePolicy) Defaulted() *OverridePolicy {
	defaulted := p.DeepCopy()
	defaultNamespaces(defaulted.Spec.ResourceSelectors, p.Namespace)
	return defaulted
}

// Defaulted returns a copy of s with what depends on other fields: a spread constraint without field and label is by
// cluster, and asks for at least one group; Divided without a preference is Weighted; an object that is purged
// gracefully has 600 seconds; a ServiceImport brings its dependencies along. What the CRD defaults is defaulted here as
// well, so that a policy from a file means the same.
func (s *PropagationSpec) Defaulted() *PropagationSpec {
	defaulted := s.DeepCopy()
	setIfZero(&defaulted.Preemption, PreemptNever)
	setIfZero(&defaulted.SchedulerName, DefaultSchedulerName)
	setIfZero(&defaulted.ConflictResolution, ConflictAbort)
	if defaulted.Priority == nil {
		defaulted.Priority = new(int32)
	}
	for _, selector := range defaulted.ResourceSelectors {
		if selector.APIVersion == "multicluster.x-k8s.io/v1alpha1" && selector.Kind == "ServiceImport" {
			defaulted.PropagateDeps = true
		}
	}
	defaultPlacement(&defaulted.Placement)
	if defaulted.Failover != nil {
		defaultFailover(defaulted.Failover)
	}
	return defaulted
}

func defaultPlacement(p *Placement) {
	for i := range p.SpreadConstraints {
		constraint := &p.SpreadConstraints[i]
		if constraint.SpreadByLabel == "" {
			setIfZero(&constraint.SpreadByField, SpreadByFieldCluster)
		}
		setIfZero(&constraint.MinGroups, 1)
	}
	if strategy := p.ReplicaScheduling; strategy != nil {
		setIfZero(&strategy.ReplicaSchedulingType, ReplicaSchedulingTypeDivided)
		if strategy.ReplicaSchedulingType == ReplicaSchedulingTypeDivided {
			setIfZero(&strategy.ReplicaDivisionPreference, ReplicaDivisionPreferenceWeighted)
		}
	}
}

func defaultFailover(f *FailoverBehavior) {
	if f.Cluster != nil {
		setIfZero(&f.Cluster.PurgeMode, PurgeGracefully)
	}
	application := f.Application
	if application == nil {
		return
	}
	setIfZero(&application.PurgeMode, PurgeGracefully)
	if application.DecisionConditions.TolerationSeconds == nil {
		application.DecisionConditions.TolerationSeconds = new(int32(300))
	}
	if application.PurgeMode == PurgeGracefully && application.GracePeriodSeconds == nil {
		application.GracePeriodSeconds = new(defaultGracePeriodSeconds)
	}
}

func defaultNamespaces(selectors []ResourceSelector, namespace string) {
	for i := range selectors {
		setIfZero(&selectors[i].Namespace, namespace)
	}
}

// setIfZero sets a field that is not set.
func setIfZero[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
