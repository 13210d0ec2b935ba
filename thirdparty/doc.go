// Package thirdparty is the catalogue: what well-known custom resources mean, as customizations that ship with the
// program. Each kind is a folder, <group>/<version>/<Kind>, with its customizations.yaml, its cases and a README that says
// why the rules are as they are; kinds that share their rules have one customizations.yaml in the folder above.
//
//	catalogue, err := thirdparty.New(script.Limits{})
//	client := interpreter.Client{Interpreter: catalogue}
//
// The catalogue is read a group at a time, when a kind of the group is first asked about, and a rule is compiled when it
// is first asked: a process pays for what it uses.
package thirdparty
