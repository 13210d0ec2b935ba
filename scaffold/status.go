package scaffold

import (
	"regexp"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// status is the fields of a status by what the values of several members make together.
type status struct {
	conditions bool // typed as conditions
	observed   bool // observedGeneration
	sums       []string
	highest    []string
	latest     []string
	texts      []string
	// others are left out.
	others []string
}

// notCounted are numbers that do not add up.
var notCounted = regexp.MustCompile(`(?i)(generation|revision|version|index|ordinal|port|time|timestamp|seconds|code)$`)

// isTime finds texts that are times, whatever their format says.
var isTime = regexp.MustCompile(`(Time|Timestamp|At)$`)

func readStatus(root *apiextensionsv1.JSONSchemaProps) status {
	var s status
	node := root.Properties["status"]
	for _, name := range names(node.Properties) {
		field := node.Properties[name]
		switch {
		case name == "conditions" && isConditions(&field):
			s.conditions = true
		case name == "observedGeneration":
			s.observed = true
		case field.Type == "integer" && notCounted.MatchString(name):
			s.highest = append(s.highest, name)
		case field.Type == "integer":
			s.sums = append(s.sums, name)
		case field.Type == "string" && (field.Format == "date-time" || isTime.MatchString(name)):
			s.latest = append(s.latest, name)
		case field.Type == "string":
			s.texts = append(s.texts, name)
		default:
			s.others = append(s.others, name)
		}
	}
	return s
}

func isConditions(field *apiextensionsv1.JSONSchemaProps) bool {
	if field.Items == nil || field.Items.Schema == nil {
		return false
	}
	properties := field.Items.Schema.Properties
	return properties["type"].Type == "string" && properties["status"].Type == "string"
}

// known returns the fields that are collected, in the order in which they are written.
func (s *status) known() []string {
	var out []string
	if s.conditions {
		out = append(out, "conditions")
	}
	for _, list := range [][]string{s.sums, s.highest, s.latest, s.texts} {
		out = append(out, list...)
	}
	if s.observed {
		out = append(out, "observedGeneration")
	}
	return out
}

func (s *status) counts(names ...string) bool {
	for _, name := range names {
		found := false
		for _, sum := range s.sums {
			found = found || sum == name
		}
		if !found {
			return false
		}
	}
	return true
}
