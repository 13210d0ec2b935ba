package podspec

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

const requiredAffinity = "requiredDuringSchedulingIgnoredDuringExecution"

// nodeClaim returns what spec asks of its node; nil for nothing. A node selector or a required affinity that is there
// counts even if it is empty.
func nodeClaim(spec map[string]any) (*workv1alpha2.NodeClaim, error) {
	selector, err := stringMap(spec, "nodeSelector")
	if err != nil {
		return nil, err
	}
	tolerations, err := tolerations(spec)
	if err != nil {
		return nil, err
	}
	required, err := value.MapAt(spec, "affinity", "nodeAffinity", requiredAffinity)
	if err != nil {
		return nil, err
	}
	if selector == nil && tolerations == nil && required == nil {
		return nil, nil
	}
	claim := &workv1alpha2.NodeClaim{NodeSelector: selector, Tolerations: tolerations}
	if required != nil {
		if claim.HardNodeAffinity, err = nodeSelector(required); err != nil {
			return nil, value.In("affinity.nodeAffinity."+requiredAffinity, err)
		}
	}
	return claim, nil
}

func stringMap(m map[string]any, field string) (map[string]string, error) {
	in, err := value.Map(m, field)
	if err != nil || in == nil {
		return nil, err
	}
	out := make(map[string]string, len(in))
	for _, key := range slices.Sorted(maps.Keys(in)) {
		if out[key], err = value.String(in, key); err != nil {
			return nil, value.In(field, err)
		}
	}
	return out, nil
}

func tolerations(spec map[string]any) ([]corev1.Toleration, error) {
	var out []corev1.Toleration
	err := value.Each(spec, "tolerations", func(m map[string]any) error {
		r := reader{m: m}
		out = append(out, corev1.Toleration{
			Key:      r.string("key"),
			Operator: corev1.TolerationOperator(r.string("operator")),
			Value:    r.string("value"),
			Effect:   corev1.TaintEffect(r.string("effect")),

			TolerationSeconds: r.int("tolerationSeconds"),
		})
		return r.err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func nodeSelector(m map[string]any) (*corev1.NodeSelector, error) {
	out := &corev1.NodeSelector{}
	err := value.Each(m, "nodeSelectorTerms", func(m map[string]any) error {
		var term corev1.NodeSelectorTerm
		var err error
		if term.MatchExpressions, err = nodeSelectorRequirements(m, "matchExpressions"); err != nil {
			return err
		}
		if term.MatchFields, err = nodeSelectorRequirements(m, "matchFields"); err != nil {
			return err
		}
		out.NodeSelectorTerms = append(out.NodeSelectorTerms, term)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func nodeSelectorRequirements(m map[string]any, field string) ([]corev1.NodeSelectorRequirement, error) {
	var out []corev1.NodeSelectorRequirement
	err := value.Each(m, field, func(m map[string]any) error {
		r := reader{m: m}
		out = append(out, corev1.NodeSelectorRequirement{
			Key:      r.string("key"),
			Operator: corev1.NodeSelectorOperator(r.string("operator")),
			Values:   r.strings("values"),
		})
		return r.err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// reader reads fields of one object, and keeps the first error.
type reader struct {
	m   map[string]any
	err error
}

func (r *reader) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) string(field string) string {
	out, err := value.String(r.m, field)
	r.keep(err)
	return out
}

func (r *reader) int(field string) *int64 {
	out, ok, err := value.Int(r.m, field)
	r.keep(err)
	if !ok {
		return nil
	}
	return &out
}

func (r *reader) strings(field string) []string {
	list, err := value.List(r.m, field)
	r.keep(err)
	if len(list) == 0 {
		return nil
	}
	out := make([]string, len(list))
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			r.keep(value.InElement(field, i, value.Wrong("", "a string", v)))
		}
		out[i] = s
	}
	return out
}
