package laws

import (
	"encoding/json"
	"fmt"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// plain returns a typed value as a plain one.
func plain(typed any) (any, error) {
	data, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	var value any
	err = utiljson.Unmarshal(data, &value)
	return value, err
}

// inventsStatus wants every value of the status that the rule changed to come from somewhere: with one member from its
// status, and empty where that has nothing; with none to be empty. What counts generations may be the template's.
func inventsStatus(t *trial, in inputs, _ *answer) string {
	for _, item := range append([]any{nil}, in.items()...) {
		members, what := []any{}, "of no member"
		if item != nil {
			members, what = []any{item}, "of one member"
		}
		a := t.ask(t.op, in.with(inputItems, members))
		if !a.ok() {
			continue
		}
		status, _ := get(item, manifest.Path{"status"})
		generation, _ := get(in.object(), manifest.Path{"metadata", "generation"})
		previous, _ := get(in.object(), manifest.Path{"status"})
		now, _ := get(a.object(), manifest.Path{"status"})
		s := statusOrigin{fields: map[string][]any{}, texts: memberTexts(item), generation: generation}
		visit(manifest.Path{"status"}, status, func(path manifest.Path, value any) bool {
			s.fields[anywhere(path)] = append(s.fields[anywhere(path)], value)
			return true
		})
		if path, value := s.invented(manifest.Path{"status"}, previous, now); path != nil {
			return fmt.Sprintf("the status %s: %s is %s, which comes from nowhere", what, path, compact(value))
		}
	}
	return ""
}

// statusOrigin is where the values of an aggregated status may come from.
type statusOrigin struct {
	fields     map[string][]any
	texts      []string
	generation any
}

func (s *statusOrigin) invented(path manifest.Path, previous, now any) (manifest.Path, any) {
	switch {
	case equal(previous, now), isEmpty(now), now == "0", equal(now, s.generation), now == fmt.Sprint(s.generation):
		return nil, nil // some kinds keep numbers as texts
	}
	for _, value := range s.fields[anywhere(path)] {
		if equal(value, now) {
			return nil, nil
		}
	}
	switch v := now.(type) {
	case map[string]any:
		before, _ := previous.(map[string]any)
		for _, key := range unionKeys(nil, v) {
			if at, value := s.invented(path.With(key), before[key], v[key]); at != nil {
				return at, value
			}
		}
		return nil, nil
	case []any:
		before, _ := previous.([]any)
		for i, element := range v {
			var old any
			if i < len(before) {
				old = before[i]
			}
			if at, value := s.invented(path.With(i), old, element); at != nil {
				return at, value
			}
		}
		return nil, nil
	case string:
		// A text may be made of a member's, with its name before it.
		for _, text := range s.texts {
			if text != "" && strings.Contains(v, text) {
				return nil, nil
			}
		}
	}
	return path, now
}

// memberTexts returns the texts of a member's report, its name among them.
func memberTexts(item any) []string {
	var texts []string
	visit(nil, item, func(_ manifest.Path, value any) bool {
		if text, ok := value.(string); ok {
			texts = append(texts, text)
		}
		return true
	})
	return texts
}

func collectsUnusable(t *trial, in inputs, a *answer) string {
	if !a.ok() {
		return ""
	}
	template := in.clone()
	delete(template.object(), "status")
	var status any
	if a.response.Status != nil {
		status = a.response.Status
	}
	template[inputItems] = []any{map[string]any{"clusterName": "member1", "status": status, "applied": true}}
	b := t.ask(interpreter.AggregateStatus, template)
	if b.ok() || !b.handled() {
		return ""
	}
	return fmt.Sprintf("AggregateStatus refuses the collected status %s: %s", compact(status), cause(b.err))
}
