// Package work carries Works to member clusters and brings back what becomes of them. Controller.Reconcile creates and
// updates the object, with what the member owns retained; Controller.Report writes the Work's conditions and the object's
// status and health, in one write. It knows no kind.
package work
