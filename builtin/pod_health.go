package builtin

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
	"github.com/dragoman-io/dragoman/status"
)

// stuckReasons are the reasons for which a container waits until somebody changes something.
var stuckReasons = []string{
	"CrashLoopBackOff", "CreateContainerConfigError", "CreateContainerError", "ErrImageNeverPull", "ErrImagePull",
	"ImageInspectError", "ImagePullBackOff", "InvalidImageName", "RunContainerError",
}

// indexOr returns the index of v in list, or otherwise.
func indexOr(list []string, v string, otherwise int) int {
	if i := slices.Index(list, v); i >= 0 {
		return i
	}
	return otherwise
}

// podHealth: a pod is healthy when it has succeeded, or runs and is ready.
func podHealth(object map[string]any) (interpreter.Health, error) {
	of, err := value.Map(object, "status")
	if err != nil {
		return interpreter.Health{}, err
	}
	phase, err := value.String(of, "phase")
	if err != nil {
		return interpreter.Health{}, value.In("status", err)
	}
	ready, err := status.Condition(of, string(corev1.PodReady))
	if err != nil {
		return interpreter.Health{}, value.In("status", err)
	}
	stuck, err := stuckContainer(of)
	if err != nil {
		return interpreter.Health{}, value.In("status", err)
	}
	switch {
	case phase == string(corev1.PodSucceeded), phase == string(corev1.PodRunning) && ready["status"] == "True":
		return interpreter.Health{State: interpreter.Healthy}, nil
	case phase == string(corev1.PodFailed):
		return interpreter.Health{State: interpreter.Degraded, Message: or(reasonOf(of), "the pod failed")}, nil
	case stuck != "":
		return interpreter.Health{State: interpreter.Degraded, Message: stuck}, nil
	case phase == string(corev1.PodRunning):
		return interpreter.Health{State: interpreter.Progressing, Message: or(reasonOf(ready), "running, not ready yet")}, nil
	}
	return interpreter.Health{State: interpreter.Progressing, Message: or(reasonOf(of), "not running yet")}, nil
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// stuckContainer says which container of a pod's status waits for somebody to change something, and why; "" when none does.
func stuckContainer(of map[string]any) (string, error) {
	var out string
	for _, field := range [...]string{"initContainerStatuses", "containerStatuses"} {
		err := value.Each(of, field, func(container map[string]any) error {
			waiting, err := value.MapAt(container, "state", "waiting")
			if err != nil {
				return err
			}
			if reason, _ := waiting["reason"].(string); out == "" && slices.Contains(stuckReasons, reason) {
				name, _ := container["name"].(string)
				out = "container " + name + ": " + reasonOf(waiting)
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return out, nil
}
