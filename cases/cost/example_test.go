package cost_test

import (
	"fmt"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/cost"
	"github.com/dragoman-io/dragoman/interpreter"
)

func Example() {
	b := cost.New("cost.json")
	one := cases.Result{Case: &cases.Case{Name: "two members", File: "cases.yaml"}, Usage: interpreter.Usage{Steps: 100}}
	b.Put([]cases.Result{one})
	one.Usage.Steps = 130
	broken, _ := b.Compare([]cases.Result{one}, 0)
	fmt.Println(broken[0].Problems[0])
	// Output: cost.steps  want at most 100  got 130 (+30.0%)
}
