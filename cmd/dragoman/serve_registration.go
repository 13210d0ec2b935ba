package main

import (
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/interpreter"
)

// endpoint is where clients find a server: a URL, or a Service.
type endpoint struct {
	url                string
	namespace, service string
}

// registration is the webhook configuration that makes a control plane ask a server.
type registration struct {
	name  string
	rules []configv1alpha1.RuleWithOperations
}

// registration selects exactly the operations that rules answer for kinds, whatever the object: a control plane that asks
// another one gets an error, and its own rule is not asked.
func (o *serveOptions) registration(rules interpreter.Interpreter, kinds []schema.GroupVersionKind) (*registration, error) {
	r := &registration{name: o.name}
	for _, gvk := range kinds {
		var operations []configv1alpha1.InterpreterOperation
		for _, info := range interpreter.Operations() {
			if answersAlways(rules, gvk, info.Operation) {
				operations = append(operations, configv1alpha1.InterpreterOperation(info.Operation))
			}
		}
		if len(operations) == 0 {
			return nil, unusablef("%s %s: no rule answers it: want customizations for it (--filename)", gvk.GroupVersion(), gvk.Kind)
		}
		r.add(gvk, operations)
	}
	return r, nil
}

// answersAlways tells whether there is a rule that does not decline.
func answersAlways(rules interpreter.Interpreter, gvk schema.GroupVersionKind, op interpreter.Operation) bool {
	return slices.ContainsFunc(interpreter.Explain(rules, gvk, op), func(s interpreter.Source) bool { return s.Condition == "" })
}

// onlyGeneric tells whether no rule knows a kind but those that answer for every kind.
func onlyGeneric(rules interpreter.Interpreter, gvk schema.GroupVersionKind) bool {
	return !slices.ContainsFunc(interpreter.Operations(), func(info interpreter.OperationInfo) bool {
		return slices.ContainsFunc(interpreter.Explain(rules, gvk, info.Operation), func(s interpreter.Source) bool { return s.Link != "generic" })
	})
}

// add adds a kind to the rule with the same group, version and operations, or to a new one.
func (r *registration) add(gvk schema.GroupVersionKind, operations []configv1alpha1.InterpreterOperation) {
	for i := range r.rules {
		rule := &r.rules[i]
		if slices.Equal(rule.Operations, operations) && rule.APIGroups[0] == gvk.Group && rule.APIVersions[0] == gvk.Version {
			rule.Kinds = append(rule.Kinds, gvk.Kind)
			return
		}
	}
	r.rules = append(r.rules, configv1alpha1.RuleWithOperations{
		Operations: operations,
		Rule:       configv1alpha1.Rule{APIGroups: []string{gvk.Group}, APIVersions: []string{gvk.Version}, Kinds: []string{gvk.Kind}},
	})
}

// print writes the configuration as YAML. A nil bundle leaves the trust to the system's authorities.
func (r *registration) print(w io.Writer, e endpoint, bundle []byte) error {
	client := configv1alpha1.WebhookClientConfig{CABundle: bundle}
	if e.url != "" {
		client.URL = &e.url
	} else {
		path := "/interpret"
		client.Service = &configv1alpha1.ServiceReference{Namespace: e.namespace, Name: e.service, Path: &path}
	}
	hook := map[string]any{
		"name":                       r.name + ".interpreter.dragoman.io",
		"clientConfig":               client,
		"rules":                      r.rules,
		"timeoutSeconds":             10,
		"interpreterContextVersions": []string{configv1alpha1.GroupVersion.Version},
	}
	data, err := yaml.Marshal(map[string]any{
		"apiVersion": configv1alpha1.GroupVersion.String(),
		"kind":       "ResourceInterpreterWebhookConfiguration",
		"metadata":   map[string]any{"name": r.name},
		"webhooks":   []any{hook},
	})
	if err != nil {
		return fmt.Errorf("print the configuration: %w", err)
	}
	_, err = w.Write(data)
	return err
}
