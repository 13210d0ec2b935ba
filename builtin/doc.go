// Package builtin is what Kubernetes' own kinds mean: the last link of the chain that knows kinds, and the generic link
// behind it.
//
//	chain := interpreter.Chain{customizations, webhooks, catalogue, builtin.Interpreter{}, builtin.Generic{}}
//
// There is one file for each kind, which holds everything about it as a value of the type kind: a struct of optional
// functions, nil where the kind has no rule. The table of kinds is in kinds.go; docs/builtin.md shows it.
//
// Rules work on plain values and make no typed copy of an object, so that fields which this version does not know survive
// every operation, and so that they are fast. A rule that returns an object copies it once and changes the copy. Anything
// of the wrong shape that a rule reads is an error that names the field, and the member whose status it is in.
//
// Prune and PodTemplatePaths answer what controllers need to know about a kind beyond the operations.
package builtin
