// Package argocd turns Argo CD health checks into customizations and cases.
//
// A check is a folder <group>/<Kind> with a script, health.lua, and its tests, health_test.yaml. The script reads the global
// obj and returns a table with status and message; it is kept as it is, inside a function whose result InterpretHealth
// returns:
//
//	checks, err := argocd.Read(os.DirFS("resource_customizations"), argocd.Options{})
//	...
//	for _, problem := range checks.Skipped { ... }
//	err = checks.Write("customizations")
//
// Checks name no version, so the customizations are for every version of their group. The folder names _ or * (every kind) and
// _.example.com (every group with that ending) become the targets * and *.example.com/*; exact targets are asked before
// them, as in Argo CD. A check that returns nothing has the state Unknown, and one whose status is no state of health is
// Unknown with Argo CD's own message.
package argocd
