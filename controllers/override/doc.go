// Package override changes an object for one cluster as OverridePolicies say.
//
// The order is Karmada's: ClusterOverridePolicies before OverridePolicies; in each, the less specific before the more
// specific and then by name, so that the closer policy has the last word; in a policy, rule by rule; in a rule, images,
// commands, arguments, labels, annotations, fields, and plaintext at last.
package override
