// Package dependencies makes what an object depends on travel along with it: it asks the interpreter, and keeps for
// every dependency a binding that goes wherever the objects that require it go. It knows no kind.
package dependencies
