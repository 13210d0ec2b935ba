package queue_test

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/workqueue"

	"github.com/dragoman-io/dragoman/controllers/queue"
)

func ExampleQueue() {
	var q queue.Queue[string]
	q.Add("added before the controller runs")

	// A controller that watches q.Source() starts it with its own work queue.
	work := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	if err := q.Source().Start(context.Background(), work); err != nil {
		fmt.Println(err)
		return
	}
	first, _ := work.Get()
	q.Add("added later")
	second, _ := work.Get()
	fmt.Println(first)
	fmt.Println(second)
	// Output:
	// added before the controller runs
	// added later
}
