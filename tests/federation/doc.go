// Package federation tests the controllers on real clusters: a control plane and three members, and the controller
// manager as users run it. Members have Kubernetes' own controllers and simulated nodes, so that statuses are real.
package federation
