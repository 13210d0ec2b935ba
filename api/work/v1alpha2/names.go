package v1alpha2

import (
	"hash/fnv"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation"
)

// BindingName returns the name of the binding for the object of that kind and name. It is a valid name whatever the
// object is called: one that would be too long ends with a hash.
func BindingName(kind, name string) string {
	binding := strings.ReplaceAll(strings.ToLower(name+"-"+kind), ":", ".")
	if len(binding) <= validation.DNS1123SubdomainMaxLength {
		return binding
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(binding)) // a hash never fails
	suffix := "-" + rand.SafeEncodeString(strconv.FormatUint(uint64(hash.Sum32()), 10))
	return strings.TrimRight(binding[:validation.DNS1123SubdomainMaxLength-len(suffix)], "-.") + suffix
}
