package cel

import (
	"maps"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/dragoman-io/dragoman/customizations/kube"
)

// meter is what calling a function costs beyond one step, and how it is called when not by cel-go's own implementation.
// The zero meter is that of a function whose cost does not depend on its arguments.
type meter struct {
	// charge takes from the run what a call costs, before it is made. Arguments are as the function was declared, unless
	// their type is only known at run time: then they may be anything.
	charge func(r *run, args []ref.Val)
	// call is the implementation; nil for that of the library. It charges for itself.
	call func(r *run, args []ref.Val) ref.Val
	// pair is the implementation of a function with two arguments, which charges for itself.
	pair func(r *run, left, right ref.Val) ref.Val
	// prepare returns the implementation for a call with these arguments, of which some may be constants. With an error
	// every such call fails.
	prepare func(args []node) (func(r *run, args []ref.Val) ref.Val, error)
	// growth returns how many steps a call takes at most whose arguments have the given size; nil for none.
	growth func(size int64) int64
	// impure tells that a result must not be shared by runs.
	impure bool
	// function is the function of the kube library that it is; nil for others.
	function *kube.Function
}

// meters returns the meter of each function of the environment, by name. It has them all, so that a function that a newer
// library adds cannot be used before somebody has thought about its cost: the tests see to that.
func meters(table []kube.Function) map[string]meter {
	m := map[string]meter{}
	for _, name := range constantFunctions {
		m[name] = meter{}
	}
	set := func(value meter, names ...string) {
		for _, name := range names {
			m[name] = value
		}
	}
	set(meter{pair: equal, growth: linear}, "_==_")
	set(meter{pair: notEqual, growth: linear}, "_!=_")
	set(meter{pair: contains, growth: linear}, "@in", "in", "_in_")
	set(meter{pair: add, growth: linear}, "_+_")
	set(meter{charge: compared, growth: linear}, "_<_", "_<=_", "_>_", "_>=_")

	// Functions that read a string.
	set(meter{charge: read(0), growth: linear}, "size", "startsWith", "endsWith", "trim")
	set(meter{charge: parsed, growth: linear},
		"int", "uint", "double", "bool", "duration", "timestamp", "url", "isURL", "ip", "isIP",
		"ip.isCanonical", "cidr", "isCIDR", "semver", "isSemver", "format.named", "containsIP", "containsCIDR")
	set(meter{charge: validated, growth: func(size int64) int64 { return multiply(64, linear(size)) }}, "validate")
	// A quantity that another one is compared with may be changed by that, so it is no constant that runs could share.
	set(meter{call: quantity, growth: linear, impure: true}, "quantity")
	set(meter{call: isQuantity, growth: linear}, "isQuantity")
	set(meter{pair: addQuantity, impure: true}, "add")
	set(meter{pair: subQuantity, impure: true}, "sub")
	set(meter{charge: searched, growth: product}, "contains", "indexOf", "lastIndexOf")
	set(meter{charge: zoned, growth: linear},
		"getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getHours", "getMilliseconds",
		"getMinutes", "getMonth", "getSeconds")

	// Functions that make a string.
	set(meter{charge: copied(8), growth: linear},
		"string", "bytes", "charAt", "substring", "lowerAscii", "upperAscii", "strings.quote", "getQuery", "getEscapedPath",
		"getHost", "getHostname", "getScheme", "getPort")
	set(meter{charge: replaced, growth: product}, "replace")
	set(meter{charge: splitUp, growth: linear}, "split")
	set(meter{charge: joined, growth: linear}, "join")
	set(meter{charge: formatted, growth: linear}, "format")
	maps.Copy(m, regexMeters())

	// Functions of lists.
	set(meter{charge: copied(8), growth: linear}, "reverse", "slice")
	set(meter{charge: ranged, growth: linear}, rangeFunction)
	set(meter{charge: walked, growth: linear},
		"flatten", "sum", "min", "max", "isSorted", "math.@max", "math.@min", "first", "last", "optional.unwrap", "unwrapOpt")
	set(meter{charge: sorted, growth: square}, "sort", "@sortByAssociatedKeys")
	set(meter{charge: distinct, growth: square}, "distinct")
	set(meter{charge: crossed, growth: square}, "sets.contains", "sets.equivalent", "sets.intersects")
	set(meter{charge: inserted, growth: linear}, "cel.@mapInsert")

	for i := range table {
		f := &table[i]
		value := meter{function: f, growth: linear}
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			m["kube."+name] = value
		}
	}
	return m
}

// rangeFunction is the function that makes a list as long as its argument is great.
const rangeFunction = "lists.range"

// constantFunctions take the same time whatever they are given.
var constantFunctions = []string{
	"!_", "-_", "_-_", "_*_", "_/_", "_%_", "_&&_", "_||_", "_?_:_", "_?._", "_[?_]", "_[_]",
	"@not_strictly_false", "__not_strictly_false__", "cel.@block", "dyn", "type", "or", "orValue", "value", "hasValue",
	"optional.none", "optional.of", "optional.ofNonZeroValue",
	"math.abs", "math.bitAnd", "math.bitNot", "math.bitOr", "math.bitShiftLeft", "math.bitShiftRight", "math.bitXor",
	"math.ceil", "math.floor", "math.isFinite", "math.isInf", "math.isNaN", "math.round", "math.sign", "math.sqrt",
	"math.trunc",
	"sign", "asInteger", "asApproximateFloat", "isInteger", "compareTo", "isGreaterThan", "isLessThan",
	"major", "minor", "patch", "family", "masked", "prefixLength", "isGlobalUnicast", "isLinkLocalMulticast",
	"isLinkLocalUnicast", "isLoopback", "isUnspecified",
	"format.byte", "format.date", "format.datetime", "format.dns1035Label", "format.dns1035LabelPrefix",
	"format.dns1123Label", "format.dns1123LabelPrefix", "format.dns1123Subdomain", "format.dns1123SubdomainPrefix",
	"format.labelValue", "format.qualifiedName", "format.uri", "format.uuid",
}

// The growths are bounds for a size from 1; 0 is the size of what has none.

func linear(size int64) int64 {
	if size == 0 {
		return 0
	}
	return saturate(size, size/perStep+12)
}

func product(size int64) int64 {
	return saturate(multiply(size, size)/perStep, multiply(3, linear(size)))
}

func square(size int64) int64 {
	return saturate(multiply(multiply(3, size), size), multiply(3, linear(size)))
}

// perStep is how many bytes of text, or nodes of a value, are read for one step: the factor that CEL has for them.
const perStep = 10

func stepsFor(n int64) int64 { return (n + perStep - 1) / perStep }

// length returns how large v is at its top: the bytes of a string, the elements of a list, the entries of a map.
func length(v ref.Val) int64 {
	switch v := v.(type) {
	case types.String:
		return int64(len(v))
	case types.Bytes:
		return int64(len(v))
	case traits.Sizer:
		if n, ok := v.Size().(types.Int); ok {
			return int64(n)
		}
	}
	return 1
}

func argument(args []ref.Val, i int) (string, int64) {
	if i >= len(args) {
		return "", 0
	}
	s, _ := args[i].(types.String)
	return string(s), int64(len(s))
}

func read(i int) func(*run, []ref.Val) {
	return func(r *run, args []ref.Val) {
		switch v := args[i].(type) {
		case types.String:
			r.charge(stepsFor(int64(len(v))), 0)
		case types.Bytes:
			r.charge(stepsFor(int64(len(v))), 0)
		}
	}
}

// parsed is for functions that read strings, and may quote them in an error.
func parsed(r *run, args []ref.Val) {
	for _, arg := range args {
		switch arg.(type) {
		case types.String, types.Bytes:
			r.charge(stepsFor(length(arg)), 8*length(arg))
		}
	}
}

// validated is for Kubernetes' formats, which are regular expressions of a length that is known.
func validated(r *run, args []ref.Val) {
	_, text := argument(args, 1)
	if format, ok := args[0].(apiservercel.Format); ok {
		r.charge(multiply(stepsFor(text+1), int64(format.MaxRegexSize)/4+1), 8*text+1024)
	}
}

// copied is for functions whose result, with what they make on the way, takes at most factor times as much as their
// first argument.
func copied(factor int64) func(*run, []ref.Val) {
	return func(r *run, args []ref.Val) {
		switch v := args[0].(type) {
		case types.String, types.Bytes:
			n := length(v)
			r.charge(n+stepsFor(n), factor*n)
		case traits.Lister:
			n := length(v)
			r.charge(n+stepsFor(n)+10, bytesList+2*bytesElement*n)
		default:
			r.charge(0, 64)
		}
	}
}

func compared(r *run, args []ref.Val) {
	left, ok := args[0].(types.String)
	if !ok {
		return
	}
	if right, ok := args[1].(types.String); ok {
		r.charge(stepsFor(int64(min(len(left), len(right)))), 0)
	}
}

// searched is for functions that look for their second argument in the first: a string, or an element of a list.
func searched(r *run, args []ref.Val) {
	if _, ok := args[0].(traits.Lister); ok {
		r.charge(stepsFor(r.weigh(args[0])), 0)
		return
	}
	_, text := argument(args, 0)
	_, part := argument(args, 1)
	r.charge(stepsFor(multiply(text, part))+stepsFor(text)+stepsFor(part), 4*(text+part))
}

// zoned is for functions that may read the database of time zones.
func zoned(r *run, args []ref.Val) {
	if len(args) > 1 {
		r.charge(100, 4096)
	}
}

func replaced(r *run, args []ref.Val) {
	text, length := argument(args, 0)
	old, oldLength := argument(args, 1)
	_, newLength := argument(args, 2)
	r.charge(stepsFor(multiply(max(length, 1), max(oldLength, 1))), 0)
	n := int64(strings.Count(text, old))
	if len(args) > 3 {
		if limit, ok := args[3].(types.Int); ok && limit >= 0 {
			n = min(n, int64(limit))
		}
	}
	result := saturate(length, multiply(n, newLength))
	r.charge(result, result)
}

func splitUp(r *run, args []ref.Val) {
	text, length := argument(args, 0)
	separator, _ := argument(args, 1)
	r.charge(stepsFor(length)+10, 0)
	n := int64(strings.Count(text, separator)) + 1
	if separator == "" {
		n = int64(utf8.RuneCountInString(text))
	}
	if len(args) > 2 {
		if limit, ok := args[2].(types.Int); ok && limit >= 0 {
			n = min(n, int64(limit))
		}
	}
	r.charge(n, multiply(n, bytesElement)+bytesList)
}

func joined(r *run, args []ref.Val) {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return
	}
	_, separator := argument(args, 1)
	n := length(list)
	// The list is gone through twice, and each time its elements may have to be wrapped.
	r.charge(n, 2*bytesElement*n)
	total := multiply(n, separator)
	for i := range n {
		total = saturate(total, length(list.Get(types.Int(i))))
	}
	// The result is built in a buffer that doubles.
	r.charge(stepsFor(n)+total, multiply(3, total))
}

// formatted is for format: every argument is used at most once, and a clause has at most 100 digits after the point.
func formatted(r *run, args []ref.Val) {
	_, text := argument(args, 0)
	n := int64(0)
	if len(args) > 1 {
		n = r.weigh(args[1])
	}
	r.charge(stepsFor(text)+n, multiply(8, text)+multiply(512, n))
}

func ranged(r *run, args []ref.Val) {
	if n, ok := args[0].(types.Int); ok && n > 0 {
		r.charge(saturate(int64(n), 10), multiply(bytesElement, int64(n)))
	}
}

// walked is for functions that go through a list, and perhaps the lists in it, once or once for each level.
func walked(r *run, args []ref.Val) {
	n := r.weigh(args[0])
	r.charge(multiply(n, 2)+10, bytesList+multiply(4*bytesElement, n))
}

func sorted(r *run, args []ref.Val) {
	n := length(args[0])
	weight := r.weigh(args[len(args)-1])
	rounds := int64(bits.Len64(uint64(max(n, 1))))
	steps := max(multiply(3, multiply(n, n)), multiply(weight, rounds))
	r.charge(steps+12, bytesList+multiply(3*bytesElement, multiply(n, rounds)))
}

func distinct(r *run, args []ref.Val) {
	n := length(args[0])
	weight := r.weigh(args[0])
	r.charge(multiply(3, multiply(n, max(n, stepsFor(weight))))+12, bytesList+2*bytesElement*n)
}

func crossed(r *run, args []ref.Val) {
	left, right := r.weigh(args[0]), r.weigh(args[1])
	pairs := saturate(multiply(length(args[0]), right), multiply(length(args[1]), left))
	r.charge(pairs+1, multiply(bytesElement, pairs))
}

// inserted is for the accumulators of transformMap and its like.
func inserted(r *run, args []ref.Val) {
	entries := int64(1)
	if m, ok := args[1].(traits.Mapper); ok && len(args) == 2 {
		entries = length(m)
	}
	if _, ok := args[0].(traits.MutableMapper); !ok {
		entries += length(args[0])
	}
	r.charge(entries, bytesEntry*entries)
}
