// Package crds holds the CustomResourceDefinitions of this project's API groups, generated from the Go types beside it,
// and what an API server does with them, offline: a Schema says what would become of an object that is created.
//
// All is what to install; Get is one of them. NewSchema works for any CRD, so that other projects' kinds can be checked
// by the same code.
package crds
