// Package customizations is the link of the chain that holds users' rules: ResourceInterpreterCustomization objects,
// compiled into an immutable Set.
//
//	cs, err := customizations.Decode("rules.yaml", data)
//	set := customizations.New(customizations.Options{Link: "customizations", Engines: engines}).With(cs...)
//	client := interpreter.Client{Interpreter: set}
//
// A Set never changes; With and Without return another one that shares what did not change, so that one customization
// among ten thousand costs no more than itself. A Live holds the Set in force and swaps it atomically; until it has one,
// every question is answered with interpreter.ErrNotReady.
//
// # Which rule answers
//
// Several customizations may be about the same object. They are asked in this order: those of the exact kind before those
// of kind "*"; those of the exact apiVersion before "group/*" before "*.suffix/*"; those with a labelSelector before those
// without; then by name. The first that has a rule for the operation, and whose selector matches the object's labels,
// answers; its script can ask the following ones (interpreter.Next). InterpretDependency is the union of the answers of
// all of them. A rule that did not load answers its load error, never a later rule's answer.
package customizations
