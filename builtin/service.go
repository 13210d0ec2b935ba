package builtin

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/status"
)

var service = kind{
	gvk:       corev1.SchemeGroupVersion.WithKind("Service"),
	retain:    retainService,
	reflect:   reflectService,
	aggregate: aggregateService,
	health:    serviceHealth,
	prune:     pruneService,
}

// retainService keeps what the member allocated.
func retainService(copied, observed map[string]any) error {
	theirs, err := value.Map(observed, "spec")
	if err != nil {
		return inObserved(err)
	}
	port, _, err := value.Int(theirs, "healthCheckNodePort")
	if err != nil {
		return inObserved(value.In("spec", err))
	}
	address, err := value.String(theirs, "clusterIP")
	if err != nil {
		return inObserved(value.In("spec", err))
	}
	if port <= 0 && address == "" {
		return nil
	}
	spec, err := inner(copied, "spec")
	if err != nil {
		return err
	}
	if port > 0 {
		spec["healthCheckNodePort"] = port
	}
	if address != "" {
		spec["clusterIP"] = address
	}
	return nil
}

// balanced tells whether the service has a load balancer.
func balanced(object map[string]any) (bool, error) {
	kind, err := value.StringAt(object, "spec", "type")
	return kind == string(corev1.ServiceTypeLoadBalancer), err
}

func reflectService(observed map[string]any) (map[string]any, error) {
	if ok, err := balanced(observed); err != nil || !ok {
		return nil, err
	}
	return status.Pick(observed, "loadBalancer")
}

func aggregateService(copied map[string]any, items []interpreter.StatusItem) error {
	if ok, err := balanced(copied); err != nil || !ok {
		return err
	}
	return aggregateLoadBalancer(copied, items)
}

func serviceHealth(object map[string]any) (interpreter.Health, error) {
	ok, err := balanced(object)
	if err != nil {
		return interpreter.Health{}, err
	}
	if !ok {
		return interpreter.Health{State: interpreter.Healthy}, nil
	}
	return loadBalancerHealth(object)
}

// pruneService removes the control plane's own addresses; a headless service stays one.
func pruneService(copied map[string]any) {
	spec, _ := value.Map(copied, "spec")
	if spec["clusterIP"] != corev1.ClusterIPNone {
		delete(spec, "clusterIP")
		delete(spec, "clusterIPs")
	}
}
