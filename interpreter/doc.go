// Package interpreter is the vocabulary in which a federation control plane asks what an object means: eight
// operations, a Request, a Response, and the Rule that turns one into the other.
//
// An Interpreter knows rules for kinds. Interpreters are composed into a Chain, decorated with Middleware, and asked
// through a Client:
//
//	client := interpreter.Client{Interpreter: interpreter.Chain{customizations, webhooks, catalogue, builtin.Interpreter{}}}
//	replicas, requirements, err := client.InterpretReplica(ctx, deployment)
//
// Everything that can interpret is an Interpreter; everything that is one can be served over HTTP, tested by the same
// case files, explained and benchmarked.
//
// # What always holds
//
// A rule does not modify its request, and its response shares no memory with it: callers may hold objects of an
// informer's cache, and may modify what they get. The same request gives the same response. What a rule does not touch
// comes back as it went in.
package interpreter
