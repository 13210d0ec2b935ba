// Package queue lets one controller hand work to another: a Queue is a source of requests for the controller that
// watches it, and any other may add to it.
package queue
