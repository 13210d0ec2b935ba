// Package lua runs the Lua scripts of ResourceInterpreterCustomizations: Lua 5.1 as gopher-lua implements it, with the
// functions that users of the peer know (GetReplicas, Retain, ...) and require("kube").
//
// A script is compiled once, by Engine.Compile, where its mistakes come to light; the rule that comes out of it is
// immutable and safe for concurrent use. Every run has an environment of its own, so that nothing a run does can be seen
// by another one, and budgets that are the same on every machine: instructions, bytes, nested calls.
//
// # The bridge
//
// A script sees objects as tables. They are views of the request's values: a level is converted when the script looks at
// it, what the script never looks at is never converted, and what it does not change comes back exactly as it was:
// integers beyond 2^53, explicit null, {} and []. A number beyond 2^53 that the script itself moves or computes is an
// error, never a rounded value. The result shares no memory with the request.
//
// # What a script may use
//
// assert error ipairs next pairs pcall print select tonumber tostring type unpack xpcall require, the libraries string
// (without dump), table, math, and os.time and os.date. print goes to interpreter.Trace, time and randomness come from
// interpreter.Clock. The functions that the peer forbids raise the peer's error.
//
// kube.next() asks the next rule and returns what the operation's own function returns: replicas and requirements, a
// state and a message for health, otherwise one table; only nil when nobody answers. "return kube.next()" hands an answer
// on as it is. A state is text, and so counts as true whatever it says: compare it.
//
// # Checking
//
// Program.Check follows a script, without running it, and tells what cannot be right for objects of a schema or is risky:
// fields that there are not, uses of what may be absent, assignments that nobody sees. It is for those who write rules; a
// run knows nothing of schemas.
//
// # Budgets
//
// A script is rewritten before it is compiled, so that a run takes its memory from its budget before it allocates it, and
// what takes long inside one instruction counts as the instructions that it is worth. The end of a budget cannot be
// caught. A source is looked at before the compiler sees it: nested deeply enough, it would end the process.
package lua
