package main

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/interpreter"
)

// load returns the cases of the arguments: those in files, and those that objects in a cluster make.
func (o *testOptions) load(ctx context.Context, args []string) ([]*cases.Case, error) {
	var paths []string
	var found []*cases.Case
	for _, arg := range args {
		if !isResourceName(arg) {
			paths = append(paths, arg)
			continue
		}
		if o.update || o.watch {
			return nil, unusablef("%s: want files for --update and --watch, got an object in a cluster", arg)
		}
		objects, err := o.cluster.get(ctx, arg)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			found = append(found, casesAbout(object, arg)...)
		}
	}
	if len(paths) == 0 {
		return found, nil
	}
	inFiles, err := cases.Load(paths...)
	switch {
	case errors.Is(err, cases.ErrNoCases):
		return nil, exit(exitNoCases, err)
	case err != nil:
		return nil, unusable(err)
	}
	return append(inFiles, found...), nil
}

// casesAbout returns a case of each operation about an object in a cluster, which it calls name. They expect that there is
// an answer, whichever it is.
func casesAbout(object *unstructured.Unstructured, name string) []*cases.Case {
	var found []*cases.Case
	for _, info := range interpreter.Operations() {
		c := &cases.Case{
			Name: string(info.Operation), File: name, Line: 1, Operation: info.Operation, Desired: object, Observed: object,
			Replicas: revised, Items: ownItems(object), Expect: cases.Expectation{Assert: []string{"true"}},
		}
		if c.Request().Complete() == nil {
			found = append(found, c)
		}
	}
	return found
}

// answered returns the results without those of objects in a cluster that no rule answers, which is as it should be.
func answered(results []cases.Result) []cases.Result {
	return slices.DeleteFunc(results, func(r cases.Result) bool {
		return errors.Is(r.Err, interpreter.ErrNotHandled) && isResourceName(r.Case.File)
	})
}
