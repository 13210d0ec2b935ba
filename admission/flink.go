package admission

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/manifest"
)

// flinkGroup and flinkKind are those of FlinkDeployments.
const (
	flinkGroup = "flink.apache.org"
	flinkKind  = "FlinkDeployment"
)

// flinkMegabytes are amounts that Flink reads as mebibytes and Kubernetes as thousandths of a byte.
var flinkMegabytes = regexp.MustCompile(`^[0-9]+m$`)

// flinkMemory warns of amounts of memory such as 1024m: Flink means mebibytes, and quotas and schedulers, which read them
// as Kubernetes quantities, count next to nothing.
func flinkMemory(o *manifest.Object) []Problem {
	var problems []Problem
	for _, role := range []string{"jobManager", "taskManager"} {
		for _, path := range [][]string{
			{"spec", role, "resource", "memory"},
			{"spec", role, "resources", "requests", "memory"},
			{"spec", role, "resources", "limits", "memory"},
		} {
			amount, _, _ := unstructured.NestedString(o.Object, path...)
			if flinkMegabytes.MatchString(amount) {
				problems = append(problems, objectProblem(o, script.Warning, strings.Join(path, "."),
					"Flink reads %q as %si, but Kubernetes as %s thousandths of a byte, and so do the answers here: %q says the same to both",
					amount, strings.ToUpper(amount), strings.TrimSuffix(amount, "m"), strings.ToUpper(amount)+"i"))
			}
		}
	}
	return problems
}
