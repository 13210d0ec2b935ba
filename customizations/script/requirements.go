package script

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func (d Decoder) replicaRequirements(at *place, value any) (*workv1alpha2.ReplicaRequirements, error) {
	m, err := at.object(value)
	if err != nil || m == nil {
		return nil, err
	}
	if err := d.known(at, m, "nodeClaim", "resourceRequest", "namespace", "priorityClassName"); err != nil {
		return nil, err
	}
	out := &workv1alpha2.ReplicaRequirements{}
	if out.NodeClaim, err = d.nodeClaim(at.field("nodeClaim"), m["nodeClaim"]); err != nil {
		return nil, err
	}
	if out.ResourceRequest, err = at.field("resourceRequest").resources(m["resourceRequest"]); err != nil {
		return nil, err
	}
	if err := at.texts(m, []textField{{"namespace", &out.Namespace}, {"priorityClassName", &out.PriorityClassName}}); err != nil {
		return nil, err
	}
	return out, nil
}

func (d Decoder) componentRequirements(at *place, value any) (*workv1alpha2.ComponentReplicaRequirements, error) {
	m, err := at.object(value)
	if err != nil || m == nil {
		return nil, err
	}
	if err := d.known(at, m, "nodeClaim", "resourceRequest", "priorityClassName"); err != nil {
		return nil, err
	}
	out := &workv1alpha2.ComponentReplicaRequirements{}
	if out.NodeClaim, err = d.nodeClaim(at.field("nodeClaim"), m["nodeClaim"]); err != nil {
		return nil, err
	}
	if out.ResourceRequest, err = at.field("resourceRequest").resources(m["resourceRequest"]); err != nil {
		return nil, err
	}
	if err := at.texts(m, []textField{{"priorityClassName", &out.PriorityClassName}}); err != nil {
		return nil, err
	}
	return out, nil
}

func (d Decoder) nodeClaim(at *place, value any) (*workv1alpha2.NodeClaim, error) {
	m, err := at.object(value)
	if err != nil || m == nil {
		return nil, err
	}
	if err := d.known(at, m, "hardNodeAffinity", "nodeSelector", "tolerations"); err != nil {
		return nil, err
	}
	out := &workv1alpha2.NodeClaim{}
	if out.HardNodeAffinity, err = d.nodeSelector(at.field("hardNodeAffinity"), m["hardNodeAffinity"]); err != nil {
		return nil, err
	}
	if out.NodeSelector, err = at.field("nodeSelector").labels(m["nodeSelector"]); err != nil {
		return nil, err
	}
	out.Tolerations, err = decodeList(at.field("tolerations"), m["tolerations"], d.toleration)
	return out, err
}

func (d Decoder) toleration(at *place, value any) (out corev1.Toleration, err error) {
	m, err := at.required(value)
	if err != nil {
		return out, err
	}
	if err := d.known(at, m, "key", "operator", "value", "effect", "tolerationSeconds"); err != nil {
		return out, err
	}
	err = at.texts(m, []textField{
		{"key", &out.Key}, {"operator", (*string)(&out.Operator)}, {"value", &out.Value}, {"effect", (*string)(&out.Effect)},
	})
	if err != nil {
		return out, err
	}
	if seconds := m["tolerationSeconds"]; seconds != nil {
		n, err := at.field("tolerationSeconds").int64(seconds)
		if err != nil {
			return out, err
		}
		out.TolerationSeconds = &n
	}
	return out, nil
}

func (d Decoder) nodeSelector(at *place, value any) (*corev1.NodeSelector, error) {
	m, err := at.object(value)
	if err != nil || m == nil {
		return nil, err
	}
	if err := d.known(at, m, "nodeSelectorTerms"); err != nil {
		return nil, err
	}
	out := &corev1.NodeSelector{}
	out.NodeSelectorTerms, err = decodeList(at.field("nodeSelectorTerms"), m["nodeSelectorTerms"], d.nodeSelectorTerm)
	return out, err
}

func (d Decoder) nodeSelectorTerm(at *place, value any) (out corev1.NodeSelectorTerm, err error) {
	m, err := at.required(value)
	if err != nil {
		return out, err
	}
	if err := d.known(at, m, "matchExpressions", "matchFields"); err != nil {
		return out, err
	}
	out.MatchExpressions, err = decodeList(at.field("matchExpressions"), m["matchExpressions"], d.nodeSelectorRequirement)
	if err != nil {
		return out, err
	}
	out.MatchFields, err = decodeList(at.field("matchFields"), m["matchFields"], d.nodeSelectorRequirement)
	return out, err
}

func (d Decoder) nodeSelectorRequirement(at *place, value any) (out corev1.NodeSelectorRequirement, err error) {
	out.Values, err = d.requirement(at, value, &out.Key, (*string)(&out.Operator))
	return out, err
}

func (d Decoder) labelSelector(at *place, value any) (*metav1.LabelSelector, error) {
	m, err := at.object(value)
	if err != nil || m == nil {
		return nil, err
	}
	if err := d.known(at, m, "matchLabels", "matchExpressions"); err != nil {
		return nil, err
	}
	out := &metav1.LabelSelector{}
	if out.MatchLabels, err = at.field("matchLabels").labels(m["matchLabels"]); err != nil {
		return nil, err
	}
	out.MatchExpressions, err = decodeList(at.field("matchExpressions"), m["matchExpressions"], d.labelSelectorRequirement)
	return out, err
}

func (d Decoder) labelSelectorRequirement(at *place, value any) (out metav1.LabelSelectorRequirement, err error) {
	out.Values, err = d.requirement(at, value, &out.Key, (*string)(&out.Operator))
	return out, err
}

// requirement decodes what the requirements of label and node selectors have in common, and returns the values.
func (d Decoder) requirement(at *place, value any, key, operator *string) ([]string, error) {
	m, err := at.required(value)
	if err != nil {
		return nil, err
	}
	if err := d.known(at, m, "key", "operator", "values"); err != nil {
		return nil, err
	}
	if err := at.texts(m, []textField{{"key", key}, {"operator", operator}}); err != nil {
		return nil, err
	}
	return decodeList(at.field("values"), m["values"], (*place).text)
}
