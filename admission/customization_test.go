package admission

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// rules returns a customization called name of the given target and rules, written as YAML flow.
func rules(t *testing.T, name, target, rules string) customizations.Customization {
	t.Helper()
	found, err := customizations.Decode("rules.yaml", []byte("apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\nmetadata: {name: "+
		name+"}\nspec:\n  target: "+target+"\n  customizations: "+rules+"\n"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

func checker(t *testing.T) Checker {
	t.Helper()
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	return Checker{Engines: engines}
}

func messages(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, string(p.Severity)+" "+p.Field+": "+p.Message)
	}
	return out
}

func TestConflicts(t *testing.T) {
	const deployment = "{apiVersion: apps/v1, kind: Deployment}"
	mine := rules(t, "mine", deployment, `{replicaResource: {celExpression: "1"}, dependencyInterpretation: {celExpression: "[]"}}`)
	for _, tc := range []struct {
		reason        string
		name          string
		target, rules string
		conflict      bool
	}{
		{"the same operation of the same target", "other", deployment, `{replicaResource: {luaScript: "x"}}`, true},
		{"another operation", "other", deployment, `{healthInterpretation: {luaScript: "x"}}`, false},
		{"an empty script is an unset one", "other", deployment, `{replicaResource: {luaScript: ""}}`, false},
		{"dependencies are joined", "other", deployment, `{dependencyInterpretation: {celExpression: "[]"}}`, false},
		{"another kind", "other", "{apiVersion: apps/v1, kind: ReplicaSet}", `{replicaResource: {celExpression: "1"}}`, false},
		{"a pattern that means the kind too", "other", "{apiVersion: apps/*, kind: Deployment}", `{replicaResource: {celExpression: "1"}}`, false},
		{"another selector", "other", "{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {a: b}}}", `{replicaResource: {celExpression: "1"}}`, false},
		{"an empty selector selects what none does", "other", "{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {}}}", `{replicaResource: {celExpression: "1"}}`, true},
		{"itself, in an earlier version", "mine", deployment, `{replicaResource: {celExpression: "1"}}`, false},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			problems := Conflicts(mine, []customizations.Customization{rules(t, tc.name, tc.target, tc.rules)})
			if !tc.conflict {
				assert.Empty(t, problems)
				return
			}
			assert.Equal(t, []string{"error spec.customizations.replicaResource: other (rules.yaml:1) answers InterpretReplica of apps/v1 " +
				"Deployment too: want one rule for each operation of a target"}, messages(problems))
		})
	}
}

func TestWildcards(t *testing.T) {
	const hides = ` never asks next: for all these kinds it hides what the rest of the chain knows`
	for _, tc := range []struct {
		reason        string
		target, rules string
		warning       string
	}{
		{"one kind may be answered alone", "{apiVersion: v1, kind: Pod}", `{replicaResource: {celExpression: "1"}}`, ""},
		{"every version of one kind too", "{apiVersion: apps/*, kind: Deployment}", `{replicaResource: {celExpression: "1"}}`, ""},
		{"every kind", `{apiVersion: v1, kind: "*"}`, `{replicaResource: {celExpression: "1"}}`, "this rule for v1 *" + hides},
		{"every group", `{apiVersion: "*.example.com/*", kind: A}`, `{replicaResource: {celExpression: "1"}}`, "this rule for *.example.com/* A" + hides},
		{"CEL asks by a variable", `{apiVersion: v1, kind: "*"}`, `{replicaResource: {celExpression: "next"}}`, ""},
		{
			"Lua asks by a function", `{apiVersion: v1, kind: "*"}`,
			`{replicaResource: {luaScript: "local ask = require('kube').next function GetReplicas(o) return ask() end"}}`, "",
		},
		{
			"Lua's own next is another", `{apiVersion: v1, kind: "*"}`,
			`{replicaResource: {luaScript: "function GetReplicas(o) if next(o) then return 1 end return 0 end"}}`, "this rule for v1 *" + hides,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			problems := checker(t).Customization(rules(t, "a", tc.target, tc.rules))
			if tc.warning == "" {
				assert.Empty(t, problems)
				return
			}
			assert.Equal(t, []string{"warning spec.customizations.replicaResource: " + tc.warning}, messages(problems))
			assert.False(t, HasErrors(problems))
		})
	}
}

func TestPortable(t *testing.T) {
	c := checker(t)
	c.Portable = true
	for _, tc := range []struct {
		reason, field, script string
		want                  string
	}{
		{"what Karmada has", "retention", `local kube = require("kube") function Retain(a, b) return a end`, ""},
		{
			"Karmada's kube functions", "dependencyInterpretation",
			`local k = require("kube") function GetDependencies(o) return k.getPodDependencies(o.spec.template, nil) end`, "",
		},
		{
			"ours", "dependencyInterpretation",
			`local k = require("kube") function GetDependencies(o) return k.podDependencies(o.spec.template, nil) end`,
			"Karmada's kube library has no podDependencies",
		},
		{"without a variable", "retention", `function Retain(a, b) return require("kube").next() end`, "Karmada's kube library has no next"},
		{"in a comment", "retention", "function Retain(a, b) -- string.gsub, kube.next\n return a end", ""},
		{"a bounded function", "retention", `function Retain(a, b) a.spec.x = string.rep("x", 3) return a end`, "Karmada does not allow string.rep"},
		{"as a method", "retention", `function Retain(a, b) a.spec.x = a.spec.x:gsub("x", "y") return a end`, "Karmada does not allow gsub"},
		{"a state of health", "healthInterpretation", `function InterpretHealth(o) return "Degraded", "why" end`, "Karmada wants true or false, not a state of health"},
		{"the context", "replicaRevision", `function ReviseReplica(o, n, context) return o end`, "Karmada does not pass a third argument, the context"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			custom := rules(t, "a", "{apiVersion: apps/v1, kind: Deployment}", "{}")
			s := custom.Object.Spec.Customizations
			for _, info := range interpreter.Operations() {
				if info.Field == tc.field {
					*info.Script(&s) = &configv1alpha1.Script{LuaScript: tc.script}
				}
			}
			custom.Object.Spec.Customizations = s
			got := messages(c.Customization(custom))
			if tc.want == "" {
				assert.Empty(t, got)
				return
			}
			assert.Equal(t, []string{"error spec.customizations." + tc.field + ".luaScript: not portable: " + tc.want}, got)
		})
	}
}
