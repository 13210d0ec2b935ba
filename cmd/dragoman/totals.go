package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/interpreter"
)

// demand is what one object asks for: some pods, in one component or several.
type demand struct {
	object     *unstructured.Unstructured
	components []workv1alpha2.Component
	// one tells that there is one component, whose replicas can be divided among clusters.
	one bool
	// open tells that others decide how many pods the component has: the nodes for a DaemonSet, say.
	open bool
	err  error
}

// totals asks every object for its components, or else its replicas, and prints what they sum up to: in one cluster, and
// as a quota charges the clusters that --clusters or --target name.
func (o *interpretOptions) totals(ctx context.Context, files *reader, rules interpreter.Interpreter, args []string) error {
	in, err := o.inputs(ctx, files, args)
	if err != nil {
		return err
	}
	if o.clusters < 1 {
		return unusablef("--clusters: want at least 1, got %d", o.clusters)
	}
	if len(in.targets) > 0 {
		o.clusters = len(in.targets)
	}
	client := interpreter.Client{Interpreter: rules}
	var demands []demand
	for _, object := range slices.Concat(in.subjects, in.desired) {
		demands = append(demands, demandOf(ctx, client, object))
	}
	if o.output != "" {
		err = printValue(o.Out, o.output, o.totalsDocument(demands, in.targets))
	} else {
		err = o.printTotals(demands, in.targets)
	}
	if err != nil {
		return err
	}
	failed := false
	for _, d := range demands {
		if d.err != nil && !errors.Is(d.err, interpreter.ErrNotHandled) {
			failed = true
			fmt.Fprintf(o.ErrOut, "error: %v\n", d.err)
		}
	}
	if failed {
		return exit(exitFailed, nil)
	}
	return nil
}

// demandOf asks what an object needs. Several components are what they are; one of no replicas, or none, leaves the word
// to InterpretReplica, as the control plane does.
func demandOf(ctx context.Context, client interpreter.Client, object *unstructured.Unstructured) demand {
	components, err := client.InterpretComponent(ctx, object)
	if err == nil && len(components) > 1 {
		return demand{object: object, components: components}
	}
	if err != nil && !errors.Is(err, interpreter.ErrNotHandled) {
		return demand{object: object, err: err}
	}
	if len(components) == 1 && components[0].Replicas > 0 {
		return demand{object: object, components: components, one: true}
	}
	replicas, requires, err := client.InterpretReplica(ctx, object)
	if len(components) == 1 && (err == nil && replicas == 0 || errors.Is(err, interpreter.ErrNotHandled)) {
		return demand{object: object, components: components, one: true, open: err != nil}
	}
	if err != nil {
		return demand{object: object, err: err}
	}
	pods := workv1alpha2.Component{Replicas: replicas}
	if requires != nil {
		pods.ReplicaRequirements = &workv1alpha2.ComponentReplicaRequirements{ResourceRequest: requires.ResourceRequest}
	}
	return demand{object: object, components: []workv1alpha2.Component{pods}, one: true}
}

// sum is an amount of pods and what they request.
type sum struct {
	pods     int64
	requests corev1.ResourceList
}

func (s *sum) add(pods int64, requests corev1.ResourceList) {
	s.pods += pods
	if s.requests == nil {
		s.requests = corev1.ResourceList{}
	}
	for name, each := range requests {
		amount := each.DeepCopy()
		amount.Mul(pods)
		total := s.requests[name]
		total.Add(amount)
		s.requests[name] = total
	}
}

func requestOf(c workv1alpha2.Component) corev1.ResourceList {
	if c.ReplicaRequirements == nil {
		return nil
	}
	return c.ReplicaRequirements.ResourceRequest
}

// total is what the object asks for in one cluster.
func (d *demand) total() sum {
	var s sum
	for _, c := range d.components {
		s.add(int64(c.Replicas), requestOf(c))
	}
	return s
}

// charge is what a quota charges for the object: its components in every cluster, or the replicas that each target has.
func (d *demand) charge(clusters int, targets []workv1alpha2.TargetCluster) sum {
	var s sum
	for _, c := range d.components {
		pods := int64(c.Replicas) * int64(clusters)
		if d.one && !d.open && len(targets) > 0 {
			pods = 0
			for _, target := range targets {
				pods += int64(target.Replicas)
			}
		}
		s.add(pods, requestOf(c))
	}
	return s
}

func (s *sum) join(other sum) {
	s.pods += other.pods
	s.add(0, nil)
	for name, amount := range other.requests {
		total := s.requests[name]
		total.Add(amount)
		s.requests[name] = total
	}
}

func (o *interpretOptions) printTotals(demands []demand, targets []workv1alpha2.TargetCluster) error {
	var all, charged sum
	for i := range demands {
		all.join(demands[i].total())
		charged.join(demands[i].charge(o.clusters, targets))
	}
	names := resourceNames(all)
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	row := func(object, component string, s sum) {
		fmt.Fprintf(table, "%s\t%s\t%d", object, component, s.pods)
		for _, name := range names {
			cell := ""
			if amount, ok := s.requests[name]; ok {
				cell = amount.String()
			}
			fmt.Fprintf(table, "\t%s", cell)
		}
		fmt.Fprintln(table)
	}
	fmt.Fprint(table, "OBJECT\tCOMPONENT\tPODS")
	for _, name := range names {
		fmt.Fprint(table, "\t"+strings.ToUpper(string(name)))
	}
	fmt.Fprintln(table)
	for i := range demands {
		d := &demands[i]
		object := objectName(d.object)
		switch {
		case errors.Is(d.err, interpreter.ErrNotHandled):
			fmt.Fprintf(table, "%s\t(no rule for pods)%s\n", object, strings.Repeat("\t", len(names)+1))
			continue
		case d.err != nil:
			fmt.Fprintf(table, "%s\t(error)%s\n", object, strings.Repeat("\t", len(names)+1))
			continue
		case d.open:
			fmt.Fprintf(table, "%s\t%s (how many is decided elsewhere)%s\n", object, d.components[0].Name, strings.Repeat("\t", len(names)+1))
			continue
		}
		for _, c := range d.components {
			var s sum
			s.add(int64(c.Replicas), requestOf(c))
			row(object, c.Name, s)
			object = ""
		}
	}
	row("in one cluster", "", all)
	if o.clusters > 1 || len(targets) > 0 {
		row("in "+counted(o.clusters, "cluster"), "", charged)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := io.WriteString(o.Out, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// resourceNames returns the resources of a sum: cpu and memory first.
func resourceNames(s sum) []corev1.ResourceName {
	first := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}
	var names []corev1.ResourceName
	for name := range s.requests {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b corev1.ResourceName) int {
		rank := func(name corev1.ResourceName) int {
			if i := slices.Index(first, name); i >= 0 {
				return i
			}
			return len(first)
		}
		if r := rank(a) - rank(b); r != 0 {
			return r
		}
		return strings.Compare(string(a), string(b))
	})
	return names
}

func objectName(o *unstructured.Unstructured) string {
	name := o.GetName()
	if o.GetNamespace() != "" {
		name = o.GetNamespace() + "/" + name
	}
	return o.GetKind() + " " + name
}

func (o *interpretOptions) totalsDocument(demands []demand, targets []workv1alpha2.TargetCluster) map[string]any {
	var all, charged sum
	items := make([]any, 0, len(demands))
	for i := range demands {
		d := &demands[i]
		total, charge := d.total(), d.charge(o.clusters, targets)
		all.join(total)
		charged.join(charge)
		item := map[string]any{
			"apiVersion": d.object.GetAPIVersion(), "kind": d.object.GetKind(), "name": d.object.GetName(),
		}
		if d.object.GetNamespace() != "" {
			item["namespace"] = d.object.GetNamespace()
		}
		switch {
		case errors.Is(d.err, interpreter.ErrNotHandled):
			item["notHandled"] = true
		case d.err != nil:
			item["error"] = d.err.Error()
		case d.open:
			var each sum
			each.add(1, requestOf(d.components[0]))
			item["numberDecidedElsewhere"], item["each"] = true, each.document()
		default:
			item["inOneCluster"], item["charged"] = total.document(), charge.document()
		}
		items = append(items, item)
	}
	return map[string]any{
		"apiVersion": outputVersion, "kind": "TotalsReport", "items": items, "clusters": int64(o.clusters),
		"inOneCluster": all.document(), "charged": charged.document(),
	}
}

func (s sum) document() map[string]any {
	requests := make(map[string]any, len(s.requests))
	for name, amount := range s.requests {
		requests[string(name)] = amount.String()
	}
	return map[string]any{"pods": s.pods, "resourceRequest": requests}
}
