// Package tests holds what looks at the project as a whole: the import direction of its packages, conformance,
// end-to-end runs and benchmarks. Nothing imports it.
package tests
