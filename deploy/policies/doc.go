// Package policies holds the ValidatingAdmissionPolicies of a control plane: what the schemas of the API cannot say. They
// are evaluated inside the API server, so that no webhook stands in the way of a write.
package policies
