// Package controllers assembles the federation's controllers: a template in the control plane becomes objects in the
// member clusters, and their status comes back, for objects of any kind. No controller switches on a kind: whatever is
// specific to one is asked of the interpreter, or of builtin.Prune and builtin.PodTemplatePaths.
//
// The way of an object: detector (template and policy to binding, scheduled in the same write), binding (binding to a
// Work for each cluster), work (Work to the member, status back), aggregation (statuses to the binding and the
// template). Beside it: dependencies, namespace, cluster, and rules, which keeps the interpreter current.
package controllers
