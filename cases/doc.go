// Package cases loads and runs case files: YAML documents that give an operation its inputs and say what the answer must
// be. The cases run against any interpreter.Interpreter, by the very code that runs in a cluster.
//
// A document with the key operation is a case; one of kind InterpreterTestSuite holds many that share objects and rules:
//
//	found, err := cases.Load("testdata")                 // files and folders
//	runner := cases.Runner{Rules: cases.Fixed(chain)}    // the same interpreter for every case
//	for _, result := range runner.Run(ctx, found) { ... }
//
// Cases come in two formats. One with a reason is ours and is compared strictly. One without is in the format of the
// recorded cases that other projects publish: result keys that it does not list are ignored, and an empty map or list
// and an explicit null equal an absent field, since those were recorded with an engine that loses them.
package cases
