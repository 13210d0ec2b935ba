// Package admission knows what is wrong with customizations and webhook configurations before they take effect: everything
// that the command check and the admission webhooks say.
//
//	checker := admission.Checker{Engines: engines}
//	for _, problem := range checker.Files(ctx, admission.File{Name: "rules.yaml", Data: data}) { ... }
//
// Handler answers the admission reviews of an API server with the same checks.
package admission
