// Package templates watches the kinds of the control plane whose objects are propagated: any kind, from when a policy
// first names it, also one that is installed later.
package templates
