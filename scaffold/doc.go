// Package scaffold writes the first version of a customization: rules, cases and a Makefile for the kind that a
// CustomResourceDefinition defines, from what its schema gives away.
//
//	kind, err := scaffold.Read("crd.yaml", data, "")
//	...
//	files, err := kind.Files("../crd.yaml")
//
// It reads the replicas of the scale subresource, finds fields that hold pod templates, and sorts the fields of the status
// by what members' values make together. A rule is one CEL expression where that says it, and a Lua script where it takes a
// loop. What cannot be told from a schema is guessed the usual way and said in a comment. The result loads without
// problems, fits the schema, and its cases pass.
package scaffold
