// Package trace writes down what a rule did for one question, for people: the lines of Lua that were run, with the local
// variables that changed and how conditions came out; the tree of a CEL expression, with the value of every part; and what
// was read of the inputs.
//
//	recorder := trace.New()
//	resp, err := client.Do(interpreter.WithTrace(ctx, recorder.Trace()), req)
//	err = recorder.Write(os.Stdout)
package trace
