package script

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func (d Decoder) replicaRequirements(value any) (*workv1alpha2.ReplicaRequirements, error) {
	o, ok, err := objectOf(value)
	if err != nil || !ok {
		return nil, err
	}
	if err := d.known(&o, "nodeClaim", "resourceRequest", "namespace", "priorityClassName"); err != nil {
		return nil, err
	}
	out := &workv1alpha2.ReplicaRequirements{}
	if out.NodeClaim, err = field(&o, "nodeClaim", d.nodeClaim); err != nil {
		return nil, err
	}
	if out.ResourceRequest, err = field(&o, "resourceRequest", resources); err != nil {
		return nil, err
	}
	err = o.texts(textField{"namespace", &out.Namespace}, textField{"priorityClassName", &out.PriorityClassName})
	return out, err
}

func (d Decoder) componentRequirements(value any) (*workv1alpha2.ComponentReplicaRequirements, error) {
	o, ok, err := objectOf(value)
	if err != nil || !ok {
		return nil, err
	}
	if err := d.known(&o, "nodeClaim", "resourceRequest", "priorityClassName"); err != nil {
		return nil, err
	}
	out := &workv1alpha2.ComponentReplicaRequirements{}
	if out.NodeClaim, err = field(&o, "nodeClaim", d.nodeClaim); err != nil {
		return nil, err
	}
	if out.ResourceRequest, err = field(&o, "resourceRequest", resources); err != nil {
		return nil, err
	}
	out.PriorityClassName, err = field(&o, "priorityClassName", text)
	return out, err
}

func (d Decoder) nodeClaim(value any) (*workv1alpha2.NodeClaim, error) {
	o, ok, err := objectOf(value)
	if err != nil || !ok {
		return nil, err
	}
	if err := d.known(&o, "hardNodeAffinity", "nodeSelector", "tolerations"); err != nil {
		return nil, err
	}
	out := &workv1alpha2.NodeClaim{}
	if out.HardNodeAffinity, err = field(&o, "hardNodeAffinity", d.nodeSelector); err != nil {
		return nil, err
	}
	if out.NodeSelector, err = field(&o, "nodeSelector", labels); err != nil {
		return nil, err
	}
	out.Tolerations, err = field(&o, "tolerations", listOf(d.toleration))
	return out, err
}

func (d Decoder) toleration(value any) (out corev1.Toleration, err error) {
	o, err := required(value)
	if err != nil {
		return out, err
	}
	if err := d.known(&o, "key", "operator", "value", "effect", "tolerationSeconds"); err != nil {
		return out, err
	}
	err = o.texts(
		textField{"key", &out.Key}, textField{"operator", (*string)(&out.Operator)},
		textField{"value", &out.Value}, textField{"effect", (*string)(&out.Effect)},
	)
	if err != nil {
		return out, err
	}
	if o.get("tolerationSeconds") != nil {
		n, err := field(&o, "tolerationSeconds", whole)
		if err != nil {
			return out, err
		}
		out.TolerationSeconds = &n
	}
	return out, nil
}

func (d Decoder) nodeSelector(value any) (*corev1.NodeSelector, error) {
	o, ok, err := objectOf(value)
	if err != nil || !ok {
		return nil, err
	}
	if err := d.known(&o, "nodeSelectorTerms"); err != nil {
		return nil, err
	}
	out := &corev1.NodeSelector{}
	out.NodeSelectorTerms, err = field(&o, "nodeSelectorTerms", listOf(d.nodeSelectorTerm))
	return out, err
}

func (d Decoder) nodeSelectorTerm(value any) (out corev1.NodeSelectorTerm, err error) {
	o, err := required(value)
	if err != nil {
		return out, err
	}
	if err := d.known(&o, "matchExpressions", "matchFields"); err != nil {
		return out, err
	}
	out.MatchExpressions, err = field(&o, "matchExpressions", listOf(d.nodeSelectorRequirement))
	if err != nil {
		return out, err
	}
	out.MatchFields, err = field(&o, "matchFields", listOf(d.nodeSelectorRequirement))
	return out, err
}

func (d Decoder) nodeSelectorRequirement(value any) (out corev1.NodeSelectorRequirement, err error) {
	out.Values, err = d.requirement(value, &out.Key, (*string)(&out.Operator))
	return out, err
}

func (d Decoder) labelSelector(value any) (*metav1.LabelSelector, error) {
	o, ok, err := objectOf(value)
	if err != nil || !ok {
		return nil, err
	}
	if err := d.known(&o, "matchLabels", "matchExpressions"); err != nil {
		return nil, err
	}
	out := &metav1.LabelSelector{}
	if out.MatchLabels, err = field(&o, "matchLabels", labels); err != nil {
		return nil, err
	}
	out.MatchExpressions, err = field(&o, "matchExpressions", listOf(d.labelSelectorRequirement))
	return out, err
}

func (d Decoder) labelSelectorRequirement(value any) (out metav1.LabelSelectorRequirement, err error) {
	out.Values, err = d.requirement(value, &out.Key, (*string)(&out.Operator))
	return out, err
}

// requirement decodes what the requirements of label and node selectors have in common, and returns the values.
func (d Decoder) requirement(value any, key, operator *string) ([]string, error) {
	o, err := required(value)
	if err != nil {
		return nil, err
	}
	if err := d.known(&o, "key", "operator", "values"); err != nil {
		return nil, err
	}
	if err := o.texts(textField{"key", key}, textField{"operator", operator}); err != nil {
		return nil, err
	}
	return field(&o, "values", listOf(text))
}
