// Package detector turns templates and policies into bindings: for every object of the control plane that a policy
// selects it asks the interpreter what the object consists of, has the scheduler decide, and writes the binding, all
// in one write. It knows no kind.
package detector
