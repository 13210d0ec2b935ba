package main

import (
	"context"
	"fmt"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/thirdparty"
)

// estimateSize is how many parts lists, maps and texts have for the estimate.
const estimateSize = 1024

// ruleCost is what is known of what a rule costs.
type ruleCost struct {
	// spent is the most that it took for an object; zero when it was not asked, or is no script.
	spent interpreter.Usage
	// failed tells that it answered an object by an error.
	failed bool
	// estimate is how many steps it takes at most; 0 when that is not known.
	estimate int64
}

func costKey(op interpreter.Operation, s interpreter.Source) string {
	return fmt.Sprint(op, s.Link, s.Name, s.Field)
}

// costs asks every operation of the objects, and returns what the rules spent, by costKey.
func (s *subject) costs(ctx context.Context, rules interpreter.Interpreter) map[string]ruleCost {
	out := map[string]ruleCost{}
	for _, object := range s.objects {
		in := inputs{replicas: revised, hasReplicas: true, hasItems: true, items: ownItems(object)}
		for _, info := range interpreter.Operations() {
			q := in.question(&info, object, object)
			if q.request.Complete() != nil {
				continue
			}
			usage := map[string]interpreter.Usage{} // a rule may be asked more than once
			a := ask(interpreter.WithTrace(ctx, &interpreter.Trace{Spent: func(source interpreter.Source, u interpreter.Usage) {
				key := costKey(info.Operation, source)
				usage[key] = interpreter.Usage{Steps: usage[key].Steps + u.Steps, Bytes: usage[key].Bytes + u.Bytes}
			}}), rules, q)
			for key, u := range usage {
				known := out[key]
				known.spent = interpreter.Usage{Steps: max(known.spent.Steps, u.Steps), Bytes: max(known.spent.Bytes, u.Bytes)}
				known.failed = known.failed || a.err != nil && costKey(info.Operation, a.source) == key
				out[key] = known
			}
		}
	}
	return out
}

// spentText says what the rule spent; empty when that is not known.
func (c *ruleCost) spentText() string {
	if c.spent == (interpreter.Usage{}) {
		return ""
	}
	limits := script.Limits{}.WithDefaults()
	text := fmt.Sprintf("%d steps (%s), %d bytes (%s)",
		c.spent.Steps, percent(c.spent.Steps, limits.Steps), c.spent.Bytes, percent(c.spent.Bytes, limits.Memory))
	if c.failed {
		text += ", fails"
	}
	return text
}

// estimateText says what the rule costs at most; empty when that is not known.
func (c *ruleCost) estimateText() string {
	if c.estimate == 0 {
		return ""
	}
	limits := script.Limits{}.WithDefaults()
	if c.estimate > limits.Steps {
		return "may go over the budget"
	}
	return fmt.Sprintf("at most %d steps (%s)", c.estimate, percent(c.estimate, limits.Steps))
}

// percent returns how much of limit n is.
func percent(n, limit int64) string {
	if n*1000 < limit {
		return "<0.1%"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(limit))
}

// document adds what is known of the cost to the document of a source.
func (c *ruleCost) document(out map[string]any) map[string]any {
	limits := script.Limits{}.WithDefaults()
	if c.spent != (interpreter.Usage{}) {
		out["cost"] = map[string]any{"steps": c.spent.Steps, "bytes": c.spent.Bytes}
		out["budget"] = map[string]any{"steps": limits.Steps, "bytes": limits.Memory}
	}
	if c.failed {
		out["fails"] = true
	}
	if c.estimate != 0 {
		out["estimate"] = map[string]any{"steps": c.estimate, "size": int64(estimateSize)}
		out["budget"] = map[string]any{"steps": limits.Steps, "bytes": limits.Memory}
	}
	return out
}

// estimates knows what rules in CEL cost at most: those of users, and those of the catalogue when one is asked about.
type estimates struct {
	engine *cel.Engine
	known  map[interpreter.Source]*script.Source
	loaded bool
}

// estimates returns the estimates of the rules that o.interpreter returned.
func (o *interpretOptions) estimates() (*estimates, error) {
	byLanguage, err := engines()
	if err != nil {
		return nil, err
	}
	e := &estimates{known: map[interpreter.Source]*script.Source{}}
	e.engine, _ = byLanguage[script.CEL].(*cel.Engine)
	e.add(customizationsLink, o.known)
	return e, nil
}

func (e *estimates) add(link string, found []customizations.Customization) {
	for _, c := range found {
		for _, source := range c.Sources(link) {
			e.known[placeOf(source.Source())] = source
		}
	}
}

// placeOf returns a source with nothing but the rule's name.
func placeOf(s interpreter.Source) interpreter.Source {
	return interpreter.Source{Link: s.Link, Name: s.Name, Field: s.Field}
}

// of returns how many steps a rule takes at most, 0 when that is not known.
func (e *estimates) of(s interpreter.Source) (int64, error) {
	compiles := s.Language == string(script.CEL) && s.Err == nil
	if !compiles || e.engine == nil {
		return 0, nil
	}
	if s.Link == thirdparty.Link && !e.loaded {
		catalogue, err := thirdparty.New(script.Limits{})
		if err != nil {
			return 0, err
		}
		found, err := catalogue.Customizations()
		if err != nil {
			return 0, err
		}
		e.add(thirdparty.Link, found)
		e.loaded = true
	}
	source := e.known[placeOf(s)]
	if source == nil {
		return 0, nil
	}
	program, _, err := e.engine.Program(source)
	if err != nil {
		return 0, err
	}
	return program.Estimate(estimateSize), nil
}
