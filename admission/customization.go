package admission

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Customization returns what is wrong with one customization by itself: its target, its scripts, what they lack.
func (c Checker) Customization(custom customizations.Customization) []Problem {
	set := customizations.New(customizations.Options{Link: link, Engines: c.Engines}).With(custom)
	var problems []Problem
	for _, p := range set.Problems(custom.Object.Name) {
		problems = append(problems, scriptProblem(p))
	}
	problems = append(problems, c.schemaProblems(custom)...)
	problems = append(problems, c.misspelt(custom)...)
	problems = append(problems, wildcards(custom)...)
	if len(custom.Sources(link)) == 0 {
		problems = append(problems, customizationProblem(custom, "", script.Warning, "spec.customizations", "there is no rule: nothing is answered"))
	}
	if c.Portable {
		problems = append(problems, portable(custom)...)
	}
	return problems
}

// Conflicts returns a problem for each operation of custom that one of others, for the same target and with the same label
// selector, has a rule for too. Dependencies are joined and never conflict.
func Conflicts(custom customizations.Customization, others []customizations.Customization) []Problem {
	var problems []Problem
	for _, other := range others {
		if other.Object.Name == custom.Object.Name || !sameTarget(other.Object.Spec.Target, custom.Object.Spec.Target) {
			continue
		}
		for _, rule := range custom.Sources(link) {
			info := rule.Operation.Info()
			if info.Union || !(*info.Script(&other.Object.Spec.Customizations)).IsSet() {
				continue
			}
			target := custom.Object.Spec.Target
			problems = append(problems, customizationProblem(custom, rule.Operation, script.Error, fieldOf(rule),
				fmt.Sprintf("%s%s answers %s of %s %s too: want one rule for each operation of a target",
					other.Object.Name, inFile(other), rule.Operation, target.APIVersion, target.Kind)))
		}
	}
	return problems
}

// sameTarget tells whether two targets are equal; an empty selector selects what none does.
func sameTarget(a, b configv1alpha1.CustomizationTarget) bool {
	for _, t := range []*configv1alpha1.CustomizationTarget{&a, &b} {
		if t.LabelSelector != nil && len(t.LabelSelector.MatchLabels)+len(t.LabelSelector.MatchExpressions) == 0 {
			t.LabelSelector = nil
		}
	}
	return equality.Semantic.DeepEqual(a, b)
}

func inFile(c customizations.Customization) string {
	if c.File == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", c.File, c.Line)
}

// link is the link of the chain that the rules are said to belong to.
const link = "customizations"

// fieldOf returns the path of a rule.
func fieldOf(rule *script.Source) string { return "spec.customizations." + rule.Operation.Info().Field }

// customizationProblem returns a problem of a customization; op, when there is one, tells whose script it is about.
func customizationProblem(c customizations.Customization, op interpreter.Operation, severity script.Severity, field, message string) Problem {
	line := c.Lines[op]
	if line == 0 {
		line = c.Line
	}
	return Problem{
		Severity: severity, File: c.File, Line: line, Object: customizations.Kind + " " + c.Object.Name, Field: field, Message: message,
	}
}

var (
	asksNextLua = regexp.MustCompile(`\.\s*next\b|\[\s*["']next["']\s*\]`)
	asksNextCEL = regexp.MustCompile(`\bnext\b`)
)

// wildcards warns of rules for many kinds that never ask the rest of the chain: they take the place of every other rule
// for all of these kinds.
func wildcards(c customizations.Customization) []Problem {
	target := c.Object.Spec.Target
	if target.Kind != "*" && !strings.HasPrefix(target.APIVersion, "*.") {
		return nil
	}
	var problems []Problem
	for _, rule := range c.Sources(link) {
		asks := asksNextLua
		if rule.Language == script.CEL {
			asks = asksNextCEL
		}
		if !asks.MatchString(rule.Text) {
			problems = append(problems, customizationProblem(c, rule.Operation, script.Warning, fieldOf(rule),
				fmt.Sprintf("this rule for %s %s never asks next: for all these kinds it hides what the rest of the chain knows",
					target.APIVersion, target.Kind)))
		}
	}
	return problems
}
