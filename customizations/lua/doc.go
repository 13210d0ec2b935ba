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
package lua
