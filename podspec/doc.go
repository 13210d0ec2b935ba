// Package podspec tells what a pod template needs: of its node and of resources (Requirements), and which objects it
// refers to (Dependencies).
//
// It reads the template as plain values and makes no typed copy of it, since it runs for every workload on every change.
// What it returns shares no memory with what it read. A value of the wrong shape is a *value.Error that names the field,
// from the template downwards: "spec.containers[0].env: want a list, got ...".
//
// Each answer comes in two forms: the typed one of the API for Go, and the plain one, with quantities as strings, for
// scripts.
package podspec
