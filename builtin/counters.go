package builtin

import (
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/status"
)

// counter is a number in a status that is summed over the members.
type counter struct {
	field string
	// zero tells that API servers write the number even if it is 0. Of others a 0 is left out, as they do, so that an
	// aggregation that changes nothing gives what the API server has.
	zero bool
}

// fields returns the names of counters and then more.
func fields(counters []counter, more ...string) []string {
	out := make([]string, 0, len(counters)+len(more))
	for _, c := range counters {
		out = append(out, c.field)
	}
	return append(out, more...)
}

// reportGenerations returns the InterpretStatus rule of a kind whose members report counters and generations.
func reportGenerations(counters []counter) func(map[string]any) (map[string]any, error) {
	names := fields(counters, "observedGeneration")
	return func(observed map[string]any) (map[string]any, error) { return status.Report(observed, names...) }
}

// pick returns the InterpretStatus rule of a kind whose members report the given fields.
func pick(fields ...string) func(map[string]any) (map[string]any, error) {
	return func(observed map[string]any) (map[string]any, error) { return status.Pick(observed, fields...) }
}

// aggregateGenerations returns the AggregateStatus rule of a kind whose counters are summed and whose observedGeneration
// follows the generation standard.
func aggregateGenerations(counters []counter) func(map[string]any, []interpreter.StatusItem) error {
	return func(copied map[string]any, items []interpreter.StatusItem) error {
		observed, ok, err := status.ObservedGeneration(copied, items)
		if err != nil {
			return err
		}
		merged, err := inner(copied, "status")
		if err != nil {
			return err
		}
		if err := sum(merged, items, counters); err != nil {
			return err
		}
		if ok {
			merged["observedGeneration"] = observed
		}
		return nil
	}
}

// aggregateCounters returns the AggregateStatus rule of a kind whose counters are summed.
func aggregateCounters(counters []counter) func(map[string]any, []interpreter.StatusItem) error {
	return func(copied map[string]any, items []interpreter.StatusItem) error {
		merged, err := inner(copied, "status")
		if err != nil {
			return err
		}
		return sum(merged, items, counters)
	}
}

// sum sets each counter of merged to its sum over the items.
func sum(merged map[string]any, items []interpreter.StatusItem, counters []counter) error {
	for _, c := range counters {
		n, err := status.Count(items, c.field)
		if err != nil {
			return err
		}
		setCounter(merged, c, n)
	}
	return nil
}

func setCounter(merged map[string]any, c counter, n int64) {
	if n == 0 && !c.zero {
		delete(merged, c.field)
		return
	}
	merged[c.field] = n
}
