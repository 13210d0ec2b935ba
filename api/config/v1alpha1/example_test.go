package v1alpha1_test

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

// A webhook decodes the question that it is asked.
func ExampleResourceInterpreterContext() {
	var question v1alpha1.ResourceInterpreterContext
	if err := json.Unmarshal([]byte(`{
		"apiVersion": "config.karmada.io/v1alpha1",
		"kind": "ResourceInterpreterContext",
		"request": {
			"uid": "1",
			"kind": {"group": "example.com", "version": "v1", "kind": "Workload"},
			"name": "web",
			"operation": "ReviseReplica",
			"object": {"apiVersion": "example.com/v1", "kind": "Workload"},
			"replicas": 3
		}
	}`), &question); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(question.Request.Operation, question.Request.Kind.Kind, *question.Request.DesiredReplicas)
	// Output: ReviseReplica Workload 3
}

func ExampleAddToScheme() {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		fmt.Println(err)
		return
	}
	customization := v1alpha1.ResourceInterpreterCustomization{
		ObjectMeta: metav1.ObjectMeta{Name: "workload"},
		Spec: v1alpha1.ResourceInterpreterCustomizationSpec{
			Target: v1alpha1.CustomizationTarget{APIVersion: "example.com/v1", Kind: "Workload"},
			Customizations: v1alpha1.CustomizationRules{
				HealthInterpretation: &v1alpha1.Script{CELExpression: "object.status.ready"},
			},
		},
	}
	kinds, _, err := scheme.ObjectKinds(&customization)
	fmt.Println(kinds, err)
	// Output: [config.karmada.io/v1alpha1, Kind=ResourceInterpreterCustomization] <nil>
}

func ExampleScript_IsSet() {
	var rules v1alpha1.CustomizationRules
	fmt.Println(rules.Retention.IsSet())

	rules.Retention = &v1alpha1.Script{LuaScript: ""}
	fmt.Println(rules.Retention.IsSet())

	rules.Retention.CELExpression = "object"
	fmt.Println(rules.Retention.IsSet())
	// Output:
	// false
	// false
	// true
}
