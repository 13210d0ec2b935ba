package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// inputs are what questions are made of.
type inputs struct {
	// subjects are objects that stand for themselves, desired and observed.
	subjects          []*unstructured.Unstructured
	desired, observed []*unstructured.Unstructured
	items             []interpreter.StatusItem
	hasItems          bool
	replicas          int32
	hasReplicas       bool
	member            string
	targets           []workv1alpha2.TargetCluster
}

// question is a request, or what it lacks to be asked.
type question struct {
	request *interpreter.Request
	missing string
}

func (o *interpretOptions) inputs(ctx context.Context, files *reader, args []string) (*inputs, error) {
	in := &inputs{replicas: o.replicas, hasReplicas: o.replicasGiven(), member: o.member}
	var err error
	if in.targets, err = o.placement(); err != nil {
		return nil, err
	}
	if o.replicas < 0 {
		return nil, unusablef("--desired-replica: want at least 0, got %d", o.replicas)
	}
	if in.subjects, err = o.subjects(ctx, files, args); err != nil {
		return nil, err
	}
	for _, given := range []struct {
		flag, name string
		into       *[]*unstructured.Unstructured
	}{
		{"--desired-file", o.desired, &in.desired},
		{"--observed-file", o.observed, &in.observed},
	} {
		if given.name == "" {
			continue
		}
		if *given.into, err = readObjects(ctx, files, given.name); err != nil {
			return nil, err
		}
	}
	if len(in.subjects)+len(in.desired)+len(in.observed) == 0 {
		return nil, unusablef("want an object: a file, a URL, -, KIND/NAME, --desired-file or --observed-file")
	}
	if len(o.status) == 0 {
		return in, nil
	}
	in.hasItems = true
	in.items, err = readItems(ctx, files, o.status)
	return in, err
}

// subjects returns the objects that arguments name: those with a slash that are no file are asked of a cluster.
func (o *interpretOptions) subjects(ctx context.Context, files *reader, args []string) ([]*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	for _, arg := range args {
		if isResourceName(arg) {
			objects, err := o.cluster.get(ctx, arg)
			if err != nil {
				return nil, err
			}
			found = append(found, objects...)
			continue
		}
		objects, err := readObjects(ctx, files, arg)
		if err != nil {
			return nil, err
		}
		found = append(found, objects...)
	}
	return found, nil
}

func readObjects(ctx context.Context, files *reader, name string) ([]*unstructured.Unstructured, error) {
	data, err := files.read(ctx, name)
	if err != nil {
		return nil, err
	}
	found, err := objects(data)
	if err != nil {
		return nil, err
	}
	out := make([]*unstructured.Unstructured, len(found))
	for i := range found {
		out[i] = found[i].Unstructured
	}
	return out, nil
}

// readItems reads what members report: documents of one item each, or lists of items.
func readItems(ctx context.Context, files *reader, names []string) ([]interpreter.StatusItem, error) {
	data, err := files.read(ctx, names...)
	if err != nil {
		return nil, err
	}
	var items []interpreter.StatusItem
	var errs []error
	for _, f := range data {
		for _, d := range manifest.Split(f.name, f.data) {
			value, err := d.Decode()
			if err != nil {
				errs = append(errs, err)
				continue
			}
			list, isList := value.([]any)
			if !isList {
				list = []any{value}
			}
			for i, value := range list {
				var path manifest.Path
				if isList {
					path = manifest.Path{i}
				}
				item, err := cases.ParseItem(value, true)
				if misfit, ok := errors.AsType[*manifest.Misfit](err); ok {
					path = append(path, misfit.Path...)
				}
				if err != nil {
					errs = append(errs, d.Errorf(path, "status item: %w", err))
				}
				items = append(items, item)
			}
		}
	}
	return items, unusable(errors.Join(errs...))
}

// questions returns every question that the inputs make: each operation of each object. When one operation is asked, an
// input that is missing is an error.
func (i *inputs) questions(infos []interpreter.OperationInfo) ([]question, error) {
	if err := i.unmatched(); err != nil {
		return nil, err
	}
	var questions []question
	ask := func(desired, observed *unstructured.Unstructured) {
		for n := range infos {
			questions = append(questions, i.question(&infos[n], desired, observed))
		}
	}
	for _, subject := range i.subjects {
		desired, observed := subject, subject
		if other := match(i.desired, subject); other != nil {
			desired = other
		}
		if other := match(i.observed, subject); other != nil {
			observed = other
		}
		ask(desired, observed)
	}
	if len(i.subjects) == 0 {
		i.pair(ask)
	}
	for _, q := range questions {
		if q.missing == "" {
			if err := q.request.Complete(); err != nil {
				return nil, unusablef("%s: %w", q.request.Operation, err)
			}
		} else if len(infos) == 1 {
			return nil, unusablef("%s needs %s", q.request.Operation, q.missing)
		}
	}
	return questions, nil
}

// unmatched returns an error when there are subjects and a file has an object for none of them, or when the one desired
// object and the one that is observed are of different kinds.
func (i *inputs) unmatched() error {
	if len(i.subjects) == 0 && len(i.desired) == 1 && len(i.observed) == 1 {
		want, got := i.desired[0].GroupVersionKind(), i.observed[0].GroupVersionKind()
		if want.GroupKind() != got.GroupKind() {
			return unusablef("--observed-file: want a %s of %s, got a %s of %s", want.Kind, want.GroupVersion(), got.Kind, got.GroupVersion())
		}
	}
	for _, given := range []struct {
		flag  string
		found []*unstructured.Unstructured
	}{{"--desired-file", i.desired}, {"--observed-file", i.observed}} {
		isOf := func(subject *unstructured.Unstructured) bool { return match(given.found, subject) != nil }
		if len(i.subjects) == 0 || len(given.found) == 0 || slices.ContainsFunc(i.subjects, isOf) {
			continue
		}
		return unusablef("%s: want %s, got %s", given.flag, identityOf(i.subjects[0]), identityOf(given.found[0]))
	}
	return nil
}

// pair asks about every desired object together with the observed one of the same identity, and about what is left. One
// of each belong together whatever they are called.
func (i *inputs) pair(ask func(desired, observed *unstructured.Unstructured)) {
	if len(i.desired) == 1 && len(i.observed) == 1 {
		ask(i.desired[0], i.observed[0])
		return
	}
	for _, desired := range i.desired {
		ask(desired, match(i.observed, desired))
	}
	for _, observed := range i.observed {
		if match(i.desired, observed) == nil {
			ask(nil, observed)
		}
	}
}

// match returns the object with the kind, namespace and name of want, or nil.
func match(found []*unstructured.Unstructured, want *unstructured.Unstructured) *unstructured.Unstructured {
	for _, o := range found {
		if o.GroupVersionKind() == want.GroupVersionKind() && o.GetNamespace() == want.GetNamespace() && o.GetName() == want.GetName() {
			return o
		}
	}
	return nil
}

func (i *inputs) question(info *interpreter.OperationInfo, desired, observed *unstructured.Unstructured) question {
	q := question{request: &interpreter.Request{Operation: info.Operation, Object: desired}}
	if info.Observed && observed != nil || desired == nil {
		q.request.Object = observed
	}
	if info.Takes(interpreter.InputObserved) {
		q.request.Object, q.request.ObservedObject = desired, observed
		switch {
		case desired == nil && len(i.desired) > 0:
			q.missing = "--desired-file with " + identityOf(observed)
		case desired == nil:
			q.missing = "--desired-file"
		case observed == nil && len(i.observed) > 0:
			q.missing = "--observed-file with " + identityOf(desired)
		case observed == nil:
			q.missing = "--observed-file"
		}
	}
	if info.Takes(interpreter.InputReplicas) {
		q.request.DesiredReplicas = i.replicas
		if !i.hasReplicas {
			q.missing = "--desired-replica"
		}
	}
	if info.Takes(interpreter.InputItems) {
		q.request.AggregatedStatus = i.items
		if !i.hasItems {
			q.missing = "--status-file"
		}
	}
	if info.Takes(interpreter.InputContext) {
		q.request.Cluster, q.request.Targets = i.member, i.targets
	}
	if q.missing != "" {
		subject := desired
		if subject == nil {
			subject = observed
		}
		q.request.Object = subject
		q.request.Kind = subject.GroupVersionKind()
		q.request.Namespace, q.request.Name = subject.GetNamespace(), subject.GetName()
	}
	return q
}

// identityOf names an object.
func identityOf(o *unstructured.Unstructured) string {
	return subjectOf(&interpreter.Request{Kind: o.GroupVersionKind(), Namespace: o.GetNamespace(), Name: o.GetName()})
}

// subjectOf names the object of a request.
func subjectOf(r *interpreter.Request) string {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return fmt.Sprintf("%s %s %s", r.Kind.GroupVersion(), r.Kind.Kind, name)
}
