// Package v1 holds what another package refers to.
//
// +groupName=other.example.com
package v1

// Other is elsewhere.
type Other struct{}
