package work_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/work"
)

// An object in a member tells which Work put it there.
func ExampleKeyOf() {
	fmt.Println(work.KeyOf(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
		workv1alpha2.WorkNamespaceAnnotation: "karmada-es-member1", workv1alpha2.WorkNameAnnotation: "web-687f7fb96f",
	}}}))
	// Output: karmada-es-member1/web-687f7fb96f true
}
