package coverage_test

import (
	"fmt"
	"os"

	"github.com/dragoman-io/dragoman/cases/coverage"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

func Example() {
	engines, err := customizations.Engines(script.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	profile := coverage.New(engines)
	profile.Add(&script.Source{
		Link: "customizations", Customization: "widgets", Operation: interpreter.InterpretHealth, Language: script.CEL,
		Text: "object.status.ready && object.spec.replicas > 0",
	})
	if err := coverage.Text(os.Stdout, profile.Rules()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// RULE                          LANGUAGE  LINES     BRANCHES
	// widgets.healthInterpretation  cel       0/1 0.0%  0/7 0.0%
	// total                                   0/1 0.0%  0/7 0.0%
	// widgets.healthInterpretation:1:1: the expression is never evaluated
	// widgets.healthInterpretation:1:21: never true: object.status.ready && object.spec.replicas > 0
	// widgets.healthInterpretation:1:21: never false: object.status.ready && object.spec.replicas > 0
	// widgets.healthInterpretation:1:14: never true: object.status.ready
	// widgets.healthInterpretation:1:14: never false: object.status.ready
	// widgets.healthInterpretation:1:45: never true: object.spec.replicas > 0
	// widgets.healthInterpretation:1:45: never false: object.spec.replicas > 0
	// coverage: 0.0% (lines of Lua and branches of CEL: 0 of 7)
}
