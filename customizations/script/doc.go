// Package script is what the Lua and the CEL engine have in common: the Source of a rule, the Limits of a run, the
// Problem that names a place in a script, and the conversion between plain Go values and an interpreter.Response.
package script
