package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// quantity is Kubernetes' function of that name, for text that nobody vouches for.
func quantity(r *run, args []ref.Val) ref.Val {
	text, ok := args[0].(types.String)
	if !ok {
		return types.NoSuchOverloadErr()
	}
	r.charge(stepsFor(int64(len(text))), 256)
	q, err := value.ParseQuantity(string(text))
	if err != nil {
		return types.WrapErr(err)
	}
	return apiservercel.Quantity{Quantity: &q}
}

func isQuantity(r *run, args []ref.Val) ref.Val {
	out := quantity(r, args)
	if types.IsError(out) {
		if _, ok := args[0].(types.String); !ok {
			return out
		}
		return types.False
	}
	return types.True
}

// addQuantity is a.add(b), where b is a quantity or a whole number. The library's own returns a value that cannot be
// compared by ==.
func addQuantity(_ *run, left, right ref.Val) ref.Val {
	return computed(left, right, (*resource.Quantity).Add)
}

func subQuantity(_ *run, left, right ref.Val) ref.Val {
	return computed(left, right, (*resource.Quantity).Sub)
}

func computed(left, right ref.Val, compute func(q *resource.Quantity, other resource.Quantity)) ref.Val {
	a, ok := left.Value().(*resource.Quantity)
	if !ok {
		return types.NoSuchOverloadErr()
	}
	out := a.DeepCopy()
	switch b := right.Value().(type) {
	case *resource.Quantity:
		compute(&out, b.DeepCopy())
	case int64:
		compute(&out, *resource.NewQuantity(b, resource.DecimalExponent))
	default:
		return types.NoSuchOverloadErr()
	}
	return apiservercel.Quantity{Quantity: &out}
}
