package detector_test

import (
	"fmt"
	"regexp"

	"github.com/dragoman-io/dragoman/controllers/detector"
)

func Example() {
	d := &detector.Detector{SkippedNamespaces: []*regexp.Regexp{regexp.MustCompile("^kube-")}}
	for _, namespace := range []string{"shop", "kube-system", "karmada-es-member1"} {
		fmt.Println(namespace, d.Propagates(namespace))
	}
	fmt.Println("Deployment", detector.PropagatesKind("apps/v1", "Deployment"))
	fmt.Println("Event", detector.PropagatesKind("v1", "Event"))
	// Output:
	// shop true
	// kube-system false
	// karmada-es-member1 false
	// Deployment true
	// Event false
}
