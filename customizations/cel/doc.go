// Package cel runs rules that are written in the Common Expression Language: one expression for each operation, compiled
// once, evaluated over the plain values of a request.
//
//	engine, err := cel.New(script.Limits{}, kube.Functions())
//	rule, warnings, err := engine.Compile(&script.Source{
//		Customization: "flink", Operation: interpreter.InterpretHealth, Language: script.CEL,
//		Text: `object.status.jobStatus.state == "RUNNING"`,
//	})
//	response, err := rule(ctx, request)
//
// # What an expression sees and returns
//
// The variables are the operation's inputs (interpreter.OperationInfo.Inputs) and next, the answer of the rest of the
// chain, asked for only when it is used. The result has the shape that script.Decode reads, except where the answer is an
// object: there an expression returns a change to it, a map that is merged into the object (RFC 7386) or a list of
// patch operations (RFC 6902). Objects go in and come out without loss.
//
// The language is that of cel-go with optional values, two-variable macros, cel.bind, and the libraries for strings, math,
// sets, lists and regular expressions; with Kubernetes' libraries for quantities, lists, regular expressions, URLs,
// addresses, networks, versions and formats; and with the functions of the kube library. Literals may mix types. Loops go
// through maps in the order of the keys.
//
// # What a run may spend
//
// A run has a budget of steps, in cost units of CEL, and one of memory. Both are counted the same way on every machine.
// What a piece of an expression costs when it is evaluated once is known when it is compiled, so it is charged for a
// piece at a time: once for the expression, and once for each round of a loop. What depends on sizes (comparing,
// concatenating, replacing, matching, converting, ...) is charged by the call, before it is made; what is charged is never
// less than the cost that cel-go tracks. So there is no plan without limits, and one with them costs no more.
// Running out panics with a private value that only the run itself recovers; no operator of the language can absorb it,
// and neither can it absorb the end of the caller's context.
//
// Sources are bounded before they are parsed (length, nesting) and before they are type-checked (size of the syntax
// tree, macros expanded), regular expressions before they are compiled.
//
// # What is found before anything runs
//
// Compile finds whatever works for no object: syntax, names, types, the shape of the result, constants that cannot but
// fail. It warns of fields that no object's metadata, no item and no context has. Program.Check does the same for the
// fields of a kind, given its schema; Program.Estimate tells what a run may cost, Program.Nodes what a test can cover.
package cel
