// Package binding turns bindings into Works: for every cluster that a binding names it asks the interpreter for the
// object's share, applies overrides, and writes the Work, when it differs. It knows no kind.
package binding
