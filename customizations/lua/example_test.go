package lua_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Compile a script once; its rule answers any number of questions.
func Example() {
	engine := lua.New(script.Limits{}, kube.Functions())
	rule, _, err := engine.Compile(&script.Source{
		Customization: "rollouts", Operation: interpreter.ReviseReplica, Language: script.Lua,
		Text: `
function ReviseReplica(obj, replicas)
  obj.spec.replicas = replicas
  return obj
end`,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := rule(context.Background(), &interpreter.Request{
		Operation: interpreter.ReviseReplica, DesiredReplicas: 3,
		Object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps.example.org/v1", "kind": "Rollout", "spec": map[string]any{"replicas": int64(1), "selector": map[string]any{}},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Object.Object["spec"])
	// Output: map[replicas:3 selector:map[]]
}

// Mistakes come to light when a script is compiled, with their place.
func ExampleEngine_Compile() {
	engine := lua.New(script.Limits{}, nil)
	_, _, err := engine.Compile(&script.Source{
		Customization: "rollouts", Operation: interpreter.InterpretHealth, Language: script.Lua,
		Text: `
function InterpretHeath(obj)
  return obj.status.phase == "Running"
end`,
	})
	fmt.Println(err)
	// Output:
	// rollouts.healthInterpretation:2:10: the script defines no function InterpretHealth: it defines InterpretHeath, rename it
	//  | function InterpretHeath(obj)
	//  |          ^
}

// What a script does is checked against the schema of its objects.
func ExampleProgram_Check() {
	program, _, err := lua.New(script.Limits{}, nil).Load(&script.Source{
		Customization: "widgets", Operation: interpreter.InterpretHealth, Language: script.Lua,
		Text: "function InterpretHealth(obj)\n  return obj.status.phase == obj.spec.phsae\nend\n",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	phase := map[string]any{"type": "object", "properties": map[string]any{"phase": map[string]any{"type": "string"}}}
	object := script.NewSchema(map[string]any{"type": "object", "properties": map[string]any{"spec": phase, "status": phase}}, nil)
	for _, p := range program.Check(object) {
		fmt.Printf("%s: %d:%d: %s\n", p.Severity, p.Line, p.Column, p.Message)
	}
	// Output:
	// warning: 2:14: obj.status may be absent, and reading phase from nil is an error: write (obj.status or {}).phase, or check obj.status ~= nil first
	// error: 2:39: obj.spec has no field phsae: did you mean phase?
}
