// Package scheduler keeps bindings scheduled: it decides for a new or changed binding in the same write that creates or
// changes it, and again when the clusters change. What it decides is in package scheduling.
package scheduler
