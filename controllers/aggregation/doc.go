// Package aggregation gathers what the clusters report about an object: into the status of its binding, and, as the
// interpreter merges it, into the status of the template. It knows no kind.
package aggregation
