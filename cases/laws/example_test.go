package laws_test

import (
	"context"
	"fmt"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/laws"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// A rule that nobody tried with an object that has no status yet.
func Example() {
	found, err := cases.Decode("cases.yaml", []byte(`
name: running
reason: the phase decides
operation: InterpretHealth
observedObj: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, status: {phase: Running}}
output: {healthy: true}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	rules, err := customizations.Decode("rules.yaml", []byte(`
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: widgets}
spec:
  target: {apiVersion: example.com/v1, kind: Widget}
  customizations:
    healthInterpretation:
      luaScript: |
        function InterpretHealth(obj)
          return obj.status.phase == "Running"
        end
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	engines, err := customizations.Engines(script.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	set := customizations.New(customizations.Options{Link: "customizations", Engines: engines}).With(rules...)
	report, err := laws.Checker{Rules: cases.Fixed(set), Seed: 1}.Check(context.Background(), found)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, breach := range report.Breaches {
		fmt.Printf("%s, with %s:\n%s\n", breach.Law.Name, breach.Changed, breach.Wrong)
	}
	// Output:
	// absent-fields, with status absent:
	// rules.yaml:11: attempt to index a non-table object(nil) with key 'phase'
	//  |   return obj.status.phase == "Running"
}
