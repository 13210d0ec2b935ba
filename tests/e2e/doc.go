// Package e2e holds the end-to-end tests: they run on a federation of real clusters (package clusters) that is started once for
// all of them. On a fresh machine the first run builds the binaries, which takes minutes; later runs start in seconds.
//
// A test gets the federation from Federation, makes a namespace of its own with NewNamespace and leaves everything else as it was.
// A test that breaks things (restarts, stops) starts its own federation.
package e2e
