// Dragoman answers what Kubernetes objects mean to a federation: it asks rules offline, checks and tests them, and serves
// them. It is also found by kubectl as a plugin, under the name kubectl-dragoman.
package main
