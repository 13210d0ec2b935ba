// Package rules keeps the interpreter's rules as the control plane has them: it watches
// ResourceInterpreterCustomizations and ResourceInterpreterWebhookConfigurations, compiles what changed, puts it in
// force at once, and says in each customization's status whether it took effect.
//
// Until everything that the control plane has is loaded, every question is answered with interpreter.ErrNotReady:
// never with another link's answer.
package rules
