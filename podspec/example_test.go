package podspec_test

import (
	"fmt"

	"github.com/dragoman-io/dragoman/podspec"
)

func ExampleDependencies() {
	template := map[string]any{"spec": map[string]any{
		"serviceAccountName": "robot",
		"containers": []any{map[string]any{
			"name":    "web",
			"envFrom": []any{map[string]any{"configMapRef": map[string]any{"name": "settings"}}},
		}},
	}}
	refs, err := podspec.Dependencies(template, "shop")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ref := range refs {
		fmt.Println(ref.Kind, ref.Namespace+"/"+ref.Name)
	}
	// Output:
	// ConfigMap shop/settings
	// ServiceAccount shop/robot
}

func ExampleRequirements() {
	container := func(cpu string) any {
		return map[string]any{"resources": map[string]any{"requests": map[string]any{"cpu": cpu}}}
	}
	template := map[string]any{"spec": map[string]any{
		"nodeSelector":   map[string]any{"disk": "ssd"},
		"containers":     []any{container("250m"), container("1")},
		"initContainers": []any{container("500m")},
	}}
	requirements, err := podspec.Requirements(template)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(requirements.NodeClaim.NodeSelector)
	fmt.Println(requirements.ResourceRequest.Cpu())
	// Output:
	// map[disk:ssd]
	// 1250m
}
