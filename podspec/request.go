package podspec

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dragoman-io/dragoman/interpreter/value"
)

// amount is how much of one resource: thousandths of cpu, units of anything else.
type amount struct {
	name string
	n    int64
}

// amounts is how much of each resource, in no particular order. There are few resources in a pod, so that searching a
// short slice is faster than a map.
type amounts []amount

func (a amounts) find(name string) int {
	for i := range a {
		if a[i].name == name {
			return i
		}
	}
	return -1
}

// set makes n the amount of name.
func (a *amounts) set(name string, n int64) {
	if i := a.find(name); i >= 0 {
		(*a)[i].n = n
		return
	}
	*a = append(*a, amount{name, n})
}

// add adds b, the amounts at field, to a. What an int64 cannot hold is an error.
func (a *amounts) add(b amounts, field string) error {
	for _, x := range b {
		i := a.find(x.name)
		if i < 0 {
			*a = append(*a, x)
			continue
		}
		if (*a)[i].n > math.MaxInt64-x.n {
			return &value.Error{Path: field, Want: "together with the rest no more " + x.name + " than an int64 holds", Got: strconv.FormatInt(x.n, 10)}
		}
		(*a)[i].n += x.n
	}
	return nil
}

// raise makes each amount of a at least that of b.
func (a *amounts) raise(b amounts) {
	for _, x := range b {
		if i := a.find(x.name); i < 0 {
			*a = append(*a, x)
		} else {
			(*a)[i].n = max((*a)[i].n, x.n)
		}
	}
}

// podRequest returns what a pod of spec asks for.
func podRequest(spec map[string]any) (amounts, error) {
	sum := make(amounts, 0, 4)
	err := value.Each(spec, "containers", func(container map[string]any) error {
		request, err := containerRequest(container)
		if err != nil {
			return err
		}
		return sum.add(request, "resources")
	})
	if err != nil {
		return nil, err
	}
	if sum, err = withInitContainers(sum, spec); err != nil {
		return nil, err
	}
	if sum, err = withPodResources(sum, spec); err != nil {
		return nil, err
	}
	overhead, err := readAmounts(spec, "overhead")
	if err != nil {
		return nil, err
	}
	return sum, sum.add(overhead, "overhead")
}

// withInitContainers returns sum, what the containers ask for, with the init containers counted: a restartable one runs
// from its turn on, beside later init containers and then beside the containers; others run one after the other.
func withInitContainers(sum amounts, spec map[string]any) (amounts, error) {
	var started, most amounts
	err := value.Each(spec, "initContainers", func(container map[string]any) error {
		request, err := containerRequest(container)
		if err != nil {
			return err
		}
		policy, err := value.String(container, "restartPolicy")
		if err != nil {
			return err
		}
		if policy == string(corev1.ContainerRestartPolicyAlways) {
			if err := started.add(request, "resources"); err != nil {
				return err
			}
			most.raise(started)
			return sum.add(request, "resources")
		}
		if err := request.add(started, "resources"); err != nil {
			return err
		}
		most.raise(request)
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum.raise(most)
	return sum, nil
}

// withPodResources returns sum with what the pod asks for as a whole: its request replaces the sum, its limit only stands
// in where nothing is asked for, as API servers default it. Only some resources may be asked for in this way.
func withPodResources(sum amounts, spec map[string]any) (amounts, error) {
	resources, err := value.Map(spec, "resources")
	if err != nil || resources == nil {
		return sum, err
	}
	requests, err := readAmounts(resources, "requests")
	if err != nil {
		return nil, value.In("resources", err)
	}
	limits, err := readAmounts(resources, "limits")
	if err != nil {
		return nil, value.In("resources", err)
	}
	for _, x := range requests {
		if ofWholePod(x.name) {
			sum.set(x.name, x.n)
		}
	}
	for _, x := range limits {
		if ofWholePod(x.name) && sum.find(x.name) < 0 {
			sum.set(x.name, x.n)
		}
	}
	return sum, nil
}

func ofWholePod(name string) bool {
	return name == string(corev1.ResourceCPU) || name == string(corev1.ResourceMemory) ||
		strings.HasPrefix(name, corev1.ResourceHugePagesPrefix)
}

// containerRequest returns what container asks for: its requests, and its limits where there are none.
func containerRequest(container map[string]any) (amounts, error) {
	resources, err := value.Map(container, "resources")
	if err != nil || resources == nil {
		return nil, err
	}
	out, err := readAmounts(resources, "requests")
	if err != nil {
		return nil, value.In("resources", err)
	}
	limits, err := readAmounts(resources, "limits")
	if err != nil {
		return nil, value.In("resources", err)
	}
	for _, x := range limits {
		if out.find(x.name) < 0 {
			out = append(out, x)
		}
	}
	return out, nil
}

// readAmounts returns the quantities of the object at field of m.
func readAmounts(m map[string]any, field string) (amounts, error) {
	in, err := value.Map(m, field)
	if err != nil || len(in) == 0 {
		return nil, err
	}
	out := make(amounts, 0, len(in)+1) // room for one more that only has a limit, or an init container before it
	for name, v := range in {
		if v == nil {
			continue
		}
		n, err := readAmount(name, v)
		if err != nil {
			return nil, value.In(field, firstWrong(in))
		}
		out = append(out, amount{name, n})
	}
	return out, nil
}

// firstWrong returns the error of the first name of in, in order, whose amount cannot be read: which one a map yields
// first is left to chance.
func firstWrong(in map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if in[name] == nil {
			continue
		}
		if _, err := readAmount(name, in[name]); err != nil {
			return err
		}
	}
	return nil
}

// readAmount returns how much v, a quantity, is of the resource called name.
func readAmount(name string, v any) (int64, error) {
	quantity, ok := parseQuantity(v)
	if !ok {
		return 0, value.Wrong(name, "a quantity such as 500m or 1Gi", v)
	}
	if quantity.Sign() < 0 {
		return 0, value.Wrong(name, "a quantity of at least 0", v)
	}
	milli := name == string(corev1.ResourceCPU)
	limit := int64(math.MaxInt64)
	if milli {
		limit /= 1000
	}
	switch {
	case quantity.CmpInt64(limit) > 0:
		return 0, value.Wrong(name, "a quantity of at most "+strconv.FormatInt(limit, 10), v)
	case milli:
		return quantity.MilliValue(), nil
	default:
		return quantity.Value(), nil
	}
}

// parseQuantity returns the quantity that v, a string or a number, stands for.
func parseQuantity(v any) (resource.Quantity, bool) {
	var text string
	switch v := v.(type) {
	case string:
		text = strings.TrimSpace(v)
	case int64:
		return *resource.NewQuantity(v, resource.DecimalSI), true
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return resource.Quantity{}, false
	}
	quantity, err := value.ParseQuantity(text)
	return quantity, err == nil
}

// list returns the amounts above 0; nil for none.
func (a amounts) list() corev1.ResourceList {
	var out corev1.ResourceList
	for _, x := range a {
		if x.n == 0 {
			continue
		}
		if out == nil {
			out = make(corev1.ResourceList, len(a))
		}
		out[corev1.ResourceName(x.name)] = x.quantity()
	}
	return out
}

// value returns the amounts above 0 with quantities as strings; nil for none.
func (a amounts) value() map[string]any {
	var out map[string]any
	for _, x := range a {
		if x.n == 0 {
			continue
		}
		if out == nil {
			out = make(map[string]any, len(a))
		}
		quantity := x.quantity()
		out[x.name] = quantity.String()
	}
	return out
}

func (x amount) quantity() resource.Quantity {
	switch {
	case x.name == string(corev1.ResourceCPU):
		return *resource.NewMilliQuantity(x.n, resource.DecimalSI)
	case inBytes(x.name):
		return *resource.NewQuantity(x.n, resource.BinarySI)
	default:
		return *resource.NewQuantity(x.n, resource.DecimalSI)
	}
}

func inBytes(name string) bool {
	return name == string(corev1.ResourceMemory) || name == string(corev1.ResourceEphemeralStorage) ||
		strings.HasPrefix(name, corev1.ResourceHugePagesPrefix)
}
