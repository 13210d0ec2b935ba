package thirdparty_test

import (
	"math"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// byHand are rules of FlinkDeployment in Go, for the one purpose: what the shipped ones could cost at best.
var byHand = map[interpreter.Operation]func(*interpreter.Request) (*interpreter.Response, error){
	interpreter.InterpretComponent: flinkComponents,
	interpreter.InterpretHealth:    flinkHealth,
}

// fieldAt returns the value at a path; what is not there is nil.
func fieldAt(from any, path ...string) any {
	for _, name := range path {
		m, _ := from.(map[string]any)
		from = m[name]
	}
	return from
}

// firstOf returns the first value that is there.
func firstOf(values ...any) any {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

// numberOf returns a number, or one that is written as text; otherwise when v is neither.
func numberOf(v any, otherwise float64) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f
		}
	}
	return otherwise
}

func flinkComponents(req *interpreter.Request) (*interpreter.Response, error) {
	spec := fieldAt(req.Object.Object, "spec")
	pod := fieldAt(spec, "podTemplate", "spec")
	tasks := 1.0
	parallelism := numberOf(fieldAt(spec, "job", "parallelism"), 0)
	slots := numberOf(fieldAt(spec, "flinkConfiguration", "taskmanager.numberOfTaskSlots"), 0)
	if parallelism != 0 && slots != 0 {
		tasks = math.Ceil(parallelism / slots)
	}
	jobManager, err := flinkComponent("jobmanager", fieldAt(spec, "jobManager"), pod, 1)
	if err != nil {
		return nil, err
	}
	taskManager, err := flinkComponent("taskmanager", fieldAt(spec, "taskManager"), pod, tasks)
	return &interpreter.Response{Components: []workv1alpha2.Component{jobManager, taskManager}}, err
}

func flinkComponent(name string, role, pod any, replicas float64) (workv1alpha2.Component, error) {
	needs := &workv1alpha2.ComponentReplicaRequirements{}
	needs.PriorityClassName, _ = fieldAt(pod, "priorityClassName").(string)
	out := workv1alpha2.Component{
		Name: name, Replicas: int32(numberOf(fieldAt(role, "replicas"), replicas)), ReplicaRequirements: needs,
	}
	if selector, ok := fieldAt(pod, "nodeSelector").(map[string]any); ok {
		needs.NodeClaim = &workv1alpha2.NodeClaim{NodeSelector: make(map[string]string, len(selector))}
		for key, v := range selector {
			needs.NodeClaim.NodeSelector[key], _ = v.(string)
		}
	}
	for _, resourceName := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		field := string(resourceName)
		var quantity resource.Quantity
		var err error
		switch v := firstOf(fieldAt(role, "resources", "requests", field), fieldAt(role, "resources", "limits", field), fieldAt(role, "resource", field)).(type) {
		case nil:
			continue
		case int64:
			quantity = *resource.NewQuantity(v, resource.DecimalSI)
		case string:
			quantity, err = value.ParseQuantity(v)
		}
		if err != nil {
			return out, err
		}
		if needs.ResourceRequest == nil {
			needs.ResourceRequest = make(corev1.ResourceList, 2)
		}
		needs.ResourceRequest[resourceName] = quantity
	}
	return out, nil
}

func flinkHealth(req *interpreter.Request) (*interpreter.Response, error) {
	status := fieldAt(req.Object.Object, "status")
	state, _ := fieldAt(status, "jobStatus", "state").(string)
	healthy := false
	switch state {
	case "":
		healthy = fieldAt(status, "jobManagerDeploymentStatus") == "READY" && fieldAt(status, "lifecycleState") == "STABLE"
	case "CREATED", "INITIALIZING", "RECONCILING":
		message, _ := fieldAt(status, "error").(string)
		for _, mistake := range []string{"ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff"} {
			healthy = healthy || strings.Contains(message, mistake)
		}
	case "RUNNING", "FINISHED", "FAILED", "CANCELED", "SUSPENDED", "CANCELLING", "FAILING", "RESTARTING":
		healthy = true
	}
	return &interpreter.Response{Health: interpreter.HealthOf(healthy)}, nil
}
