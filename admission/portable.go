package admission

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// portable returns every use of what Karmada does not have: its API would drop the field, or its interpreter fail.
func portable(c customizations.Customization) []Problem {
	var problems []Problem
	add := func(op interpreter.Operation, field, message string) {
		problems = append(problems, customizationProblem(c, op, script.Error, field, "not portable: "+message))
	}
	target := c.Object.Spec.Target
	if strings.Contains(target.APIVersion, "*") {
		add("", "spec.target.apiVersion", fmt.Sprintf("want one group and version, got the pattern %q", target.APIVersion))
	}
	if strings.Contains(target.Kind, "*") {
		add("", "spec.target.kind", fmt.Sprintf("want one kind, got the pattern %q", target.Kind))
	}
	if target.LabelSelector != nil {
		add("", "spec.target.labelSelector", "Karmada would drop the selector and apply the rules to every object")
	}
	for _, rule := range c.Sources(link) {
		if rule.Language == script.CEL {
			add(rule.Operation, fieldOf(rule)+".celExpression", "Karmada has luaScript only")
			continue
		}
		for _, addition := range luaAdditions(rule) {
			p := customizationProblem(c, rule.Operation, script.Error, fieldOf(rule)+".luaScript", "not portable: "+addition.message)
			if rule.Line > 0 {
				p.Line = rule.FileLine(1 + strings.Count(rule.Text[:addition.offset], "\n"))
			}
			problems = append(problems, p)
		}
	}
	return problems
}

// addition is a place in a Lua script that uses what Karmada does not have.
type addition struct {
	offset  int
	message string
}

var (
	requireKube = regexp.MustCompile(`\b(\w+)\s*=\s*require\s*\(?\s*["']kube["']`)
	directKube  = regexp.MustCompile(`require\s*\(?\s*["']kube["']\s*\)?\s*[.]\s*(\w+)`)
	bounded     = regexp.MustCompile(`\bstring\s*[.]\s*(gsub|rep)\b|:\s*(gsub|rep)\s*\(|\b(setmetatable)\s*\(`)
	healthState = regexp.MustCompile(`\breturn\s*["'](?:Healthy|Progressing|Degraded|Suspended|Missing|Unknown)["']`)
	thirdParam  = regexp.MustCompile(`\b(?:Retain|ReviseReplica)\s*(?:=\s*function\s*)?\(\s*\w+\s*,\s*\w+\s*,`)
	// karmadaKube are the functions of Karmada's kube library.
	karmadaKube = []string{"resourceAdd", "accuratePodRequirements", "getPodDependencies", "getResourceQuantity"}
)

// luaAdditions finds what Karmada's Lua does not have, by its text.
func luaAdditions(rule *script.Source) []addition {
	text := withoutComments(rule.Text)
	var found []addition
	calls := directKube.FindAllStringSubmatchIndex(text, -1)
	for _, require := range requireKube.FindAllStringSubmatch(text, -1) {
		call := regexp.MustCompile(`\b` + require[1] + `\s*[.]\s*(\w+)`)
		calls = append(calls, call.FindAllStringSubmatchIndex(text, -1)...)
	}
	for _, at := range calls {
		if name := text[at[2]:at[3]]; !slices.Contains(karmadaKube, name) {
			found = append(found, addition{at[2], fmt.Sprintf("Karmada's kube library has no %s", name)})
		}
	}
	for _, at := range bounded.FindAllStringIndex(text, -1) {
		found = append(found, addition{at[0], fmt.Sprintf("Karmada does not allow %s", strings.Trim(text[at[0]:at[1]], " :("))})
	}
	if rule.Operation.Info().Result == interpreter.ResultHealth {
		for _, at := range healthState.FindAllStringIndex(text, -1) {
			found = append(found, addition{at[0], "Karmada wants true or false, not a state of health"})
		}
	}
	for _, at := range thirdParam.FindAllStringIndex(text, -1) {
		found = append(found, addition{at[0], "Karmada does not pass a third argument, the context"})
	}
	slices.SortFunc(found, func(a, b addition) int { return a.offset - b.offset })
	return slices.Compact(found)
}

var luaComment = regexp.MustCompile(`--[^\n]*`)

// withoutComments returns a script with blanks in place of its line comments, so that offsets stay.
func withoutComments(text string) string {
	return luaComment.ReplaceAllStringFunc(text, func(comment string) string { return strings.Repeat(" ", len(comment)) })
}
