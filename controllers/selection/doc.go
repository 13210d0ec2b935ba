// Package selection answers which objects and which clusters a policy means. It is pure: everything it looks at is
// passed in.
package selection
