// Package kube is the library that scripts find under the name kube: one table of functions over plain values, which
// both engines bind, so that every function has one name and one meaning in Lua and in CEL.
package kube
