package v1alpha2_test

import (
	"fmt"

	"github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func ExampleBindingName() {
	fmt.Println(v1alpha2.BindingName("FlinkDeployment", "basic"))
	// Output: basic-flinkdeployment
}

// A ConfigMap is scheduled without regard to replicas.
func ExampleResourceBindingSpec_IsWorkload() {
	configMap := v1alpha2.ResourceBindingSpec{Resource: v1alpha2.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Name: "web"}}
	flink := v1alpha2.ResourceBindingSpec{Components: []v1alpha2.Component{{Name: "jobmanager", Replicas: 1}}}
	fmt.Println(configMap.IsWorkload(), flink.IsWorkload())
	// Output: false true
}
