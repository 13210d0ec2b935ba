package scheduler_test

import (
	"fmt"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/scheduler"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
)

func ExampleReason() {
	_, err := scheduling.Schedule(scheduling.Request{Binding: &workv1alpha2.ResourceBindingSpec{}})
	fmt.Println(scheduler.Reason(err), scheduler.Reason(nil))
	// Output: NoClusterFit Success
}
