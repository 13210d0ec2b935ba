package laws

import (
	"context"
	"slices"
	"sync"

	"github.com/dragoman-io/dragoman/cases"
)

// leaks checks that no answer depends on what was asked before. The cases are asked one after the other, forwards and
// backwards, each time by rules that nobody has asked yet: whichever of two cases changes something that the other one
// sees, in one of the two orders the other one comes first.
func (c Checker) leaks(ctx context.Context, found []*cases.Case) ([]Breach, error) {
	reversed := slices.Clone(found)
	slices.Reverse(reversed)
	var forwards, backwards []*answer
	var errs [2]error
	var both sync.WaitGroup
	both.Go(func() { forwards, errs[0] = c.sequence(ctx, found) })
	both.Go(func() { backwards, errs[1] = c.sequence(ctx, reversed) })
	both.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	slices.Reverse(backwards)
	var breaches []Breach
	for i := range found {
		if forwards[i].same(backwards[i]) {
			continue
		}
		breach, err := c.culprit(ctx, found, i)
		if err != nil {
			return nil, err
		}
		breaches = append(breaches, breach)
	}
	return breaches, ctx.Err()
}

// sequence asks the questions of cases one after the other, by fresh rules.
func (c Checker) sequence(ctx context.Context, found []*cases.Case) ([]*answer, error) {
	rules, err := c.Fresh()
	if err != nil {
		return nil, err
	}
	out := make([]*answer, len(found))
	for i, one := range found {
		interpreter, err := rules(one)
		if err != nil {
			return nil, err
		}
		out[i] = asker{ctx: one.Context(ctx), rules: interpreter}.ask(one.Operation, inputsOf(one))
	}
	return out, nil
}

// culprit returns the breach of case i, with the case that must be asked before it when there is one alone.
func (c Checker) culprit(ctx context.Context, found []*cases.Case, i int) (Breach, error) {
	breach := Breach{Law: Named(isolated), Case: found[i], Inputs: inputsOf(found[i])}
	alone, err := c.sequence(ctx, found[i:i+1])
	if err != nil {
		return breach, err
	}
	breach.Rule = alone[0].source
	for j, other := range found {
		if j == i || ctx.Err() != nil {
			continue
		}
		pair, err := c.sequence(ctx, []*cases.Case{other, found[i]})
		if err != nil {
			return breach, err
		}
		if !pair[1].same(alone[0]) {
			breach.Before = other
			breach.Wrong = "after " + other.Name + ": " + difference(alone[0], pair[1])
			return breach, nil
		}
	}
	breach.Wrong = "the answer depends on what was asked before"
	return breach, nil
}
