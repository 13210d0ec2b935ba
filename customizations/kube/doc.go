// Package kube is the library that scripts find under the name kube: one table of functions over plain values, which
// both engines bind, so that every function has one name and one meaning in Lua and in CEL. docs/kube.md is written from
// the table.
//
// A function has a signature that engines check arguments against (Function.Check), documentation, an example in each
// language, and Go code. What its text arguments name fields of (Param.Path) lets a checker compare them with a schema.
//
// There are functions for what pods need and refer to, for components, for reducing what members report to one value, for
// conditions and generations, for the changes that a rule in CEL returns, and for values that may be absent.
package kube
