// Package render renders the Helm chart into the kustomize base, so that there is one source for both. It is a module of its own: Helm's
// libraries are needed for nothing else. `go test -update` in this folder writes the base.
package render
