// Package script is what the Lua and the CEL engine have in common: the Source of a rule, the Limits of a run, the
// Problem that names a place in a script, the conversion between plain Go values and an interpreter.Response, and the
// Schema that rules are checked against.
package script
