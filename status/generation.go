package status

import (
	"strconv"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/interpreter/value"
)

// TemplateGenerationAnnotation is the annotation of an object in a member that holds the generation of the template that
// it was made from.
const TemplateGenerationAnnotation = "resourcetemplate.karmada.io/generation"

// The fields by which a reflected status tells which generation it is about.
const (
	observedGeneration         = "observedGeneration"
	generation                 = "generation"
	resourceTemplateGeneration = "resourceTemplateGeneration"
)

// ObservedGeneration is the generation standard. It returns the observedGeneration that the aggregated status of template
// should have, and whether it should have one.
//
// It is the template's metadata.generation when every item has caught up, so also when there are none. Otherwise, or when
// the template has no generation, it is what the template's status has. An item has caught up when it has a status whose
// observedGeneration is at least its generation, and whose resourceTemplateGeneration is at least the template's
// generation; a number that is absent counts as 0.
func ObservedGeneration(template map[string]any, items []interpreter.StatusItem) (int64, bool, error) {
	metadata, err := value.Map(template, "metadata")
	if err != nil {
		return 0, false, err
	}
	want, ok, err := value.Int(metadata, generation)
	if err != nil {
		return 0, false, value.In("metadata", err)
	}
	if ok {
		all, err := allCaughtUp(items, want)
		if err != nil {
			return 0, false, err
		}
		if all {
			return want, true, nil
		}
	}
	old, err := value.Map(template, "status")
	if err != nil {
		return 0, false, err
	}
	n, ok, err := value.Int(old, observedGeneration)
	return n, ok, value.In("status", err)
}

// allCaughtUp tells whether every item has caught up. It reads every item before it answers, so that what is wrong is an
// error wherever it is.
func allCaughtUp(items []interpreter.StatusItem, templateGeneration int64) (bool, error) {
	all := true
	for i := range items {
		ok, err := CaughtUp(items[i].Status, templateGeneration)
		if err != nil {
			return false, InStatus(&items[i], err)
		}
		all = all && ok
	}
	return all, nil
}

// CaughtUp tells whether a member's status is about the given generation of the template or a later one, by the generation
// standard. Nil is no status, and has not caught up.
func CaughtUp(status map[string]any, templateGeneration int64) (bool, error) {
	if status == nil {
		return false, nil
	}
	observed, err := counter(status, observedGeneration)
	if err != nil {
		return false, err
	}
	member, err := counter(status, generation)
	if err != nil {
		return false, err
	}
	template, err := counter(status, resourceTemplateGeneration)
	if err != nil {
		return false, err
	}
	return observed >= member && template >= templateGeneration, nil
}

// Generations returns the two fields that a member's reflected status must have besides observedGeneration for the
// generation standard: generation, the metadata.generation of observed, and resourceTemplateGeneration, what its
// annotation says. Each is nil when observed does not have it, an int64 otherwise.
func Generations(observed map[string]any) (own, template any, err error) {
	metadata, err := value.Map(observed, "metadata")
	if err != nil {
		return nil, nil, err
	}
	n, ok, err := value.Int(metadata, generation)
	if err != nil {
		return nil, nil, value.In("metadata", err)
	}
	if ok {
		own = n
	}
	text, err := value.StringAt(metadata, "annotations", TemplateGenerationAnnotation)
	if err != nil {
		return nil, nil, value.In("metadata", err)
	}
	if text == "" {
		return own, nil, nil
	}
	n, err = strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, nil, value.Wrong("metadata.annotations["+TemplateGenerationAnnotation+"]", "a whole number", text)
	}
	return own, n, nil
}

// Report returns the collected status of observed: those of fields that its status has, and Generations. It is a copy. It is
// nil when observed has no status, or an empty one.
func Report(observed map[string]any, fields ...string) (map[string]any, error) {
	out, err := Pick(observed, fields...)
	if err != nil || out == nil {
		return nil, err
	}
	own, template, err := Generations(observed)
	if err != nil {
		return nil, err
	}
	if own != nil {
		out[generation] = own
	}
	if template != nil {
		out[resourceTemplateGeneration] = template
	}
	return out, nil
}
