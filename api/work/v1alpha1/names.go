package v1alpha1

import (
	"hash/fnv"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation"
)

// executionPrefix begins the namespace that holds a cluster's Works.
const executionPrefix = "karmada-es-"

// ExecutionNamespace returns the namespace that holds the Works of the cluster.
func ExecutionNamespace(cluster string) string {
	return executionPrefix + cluster
}

// ClusterOf returns the cluster whose Works the namespace holds. ok is false when it is no such namespace.
func ClusterOf(namespace string) (cluster string, ok bool) {
	cluster, ok = strings.CutPrefix(namespace, executionPrefix)
	if !ok || cluster == "" {
		return "", false
	}
	return cluster, true
}

// WorkName returns the name of the Work for the object of that kind, namespace (empty for a cluster-scoped one) and
// name. It is a valid name whatever the object is called.
func WorkName(kind, namespace, name string) string {
	full := name + "-" + kind
	if namespace != "" {
		full = namespace + "-" + full
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(strings.ToLower(full))) // a hash never fails
	suffix := "-" + rand.SafeEncodeString(strconv.FormatUint(uint64(hash.Sum32()), 10))

	stem := strings.ReplaceAll(strings.ToLower(name), ":", ".")
	if room := validation.DNS1123SubdomainMaxLength - len(suffix); len(stem) > room {
		stem = strings.TrimRight(stem[:room], "-.")
	}
	return stem + suffix
}
