package thirdparty

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Link is the name of the catalogue in the chain.
const Link = "thirdparty"

// files is the customizations: of single kinds, and of several in the folder above.
//
//go:embed */*/customizations.yaml */*/*/customizations.yaml
var files embed.FS

// Catalogue is the rules for well-known custom resources. It is safe for concurrent use.
type Catalogue struct {
	// groups has the rules of each API group. Calling a function reads them, the first time.
	groups map[string]func() (*customizations.Set, error)
	// empty is the set that those of the groups are made from; read holds the sets that were, by group.
	empty *customizations.Set
	read  sync.Map
}

var (
	_ interpreter.Interpreter = (*Catalogue)(nil)
	_ interpreter.Explainer   = (*Catalogue)(nil)
)

// New returns the catalogue, with engines whose scripts may spend limits on each run.
func New(limits script.Limits) (*Catalogue, error) {
	engines, err := customizations.Engines(limits)
	if err != nil {
		return nil, err
	}
	return newCatalogue(engines)
}

func newCatalogue(engines map[script.Language]script.Engine) (*Catalogue, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	empty := customizations.New(customizations.Options{Link: Link, Engines: engines, Lazy: true})
	c := &Catalogue{groups: make(map[string]func() (*customizations.Set, error), len(entries)), empty: empty}
	for _, entry := range entries {
		group := entry.Name()
		c.groups[group] = sync.OnceValues(func() (*customizations.Set, error) {
			cs, err := read(group)
			if err != nil {
				return nil, err
			}
			set := empty.With(cs...)
			c.read.Store(group, set)
			return set, nil
		})
	}
	return c, nil
}

// read returns the customizations of an API group.
func read(group string) ([]customizations.Customization, error) {
	var out []customizations.Customization
	err := fs.WalkDir(files, group, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		cs, err := customizations.Decode(path.Join(Link, name), data)
		out = append(out, cs...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the catalogue's rules for %s: %w", group, err)
	}
	return out, customizations.Distinct(out)
}

// Lookup returns the catalogue's rule for op on objects of kind gvk, or nil.
func (c *Catalogue) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	load, ok := c.groups[gvk.Group]
	if !ok {
		return nil
	}
	set, err := load()
	if err != nil {
		return func(context.Context, *interpreter.Request) (*interpreter.Response, error) { return nil, err }
	}
	return set.Lookup(gvk, op)
}

// Explain returns the sources of the rules that Lookup's rule asks.
func (c *Catalogue) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	load, ok := c.groups[gvk.Group]
	if !ok {
		return nil
	}
	set, err := load()
	if err != nil {
		return []interpreter.Source{{Link: Link, Name: gvk.Group, Err: err}}
	}
	return set.Explain(gvk, op)
}

// Customizations returns every customization of the catalogue, sorted by name. They must not be modified.
func (c *Catalogue) Customizations() ([]customizations.Customization, error) {
	var out []customizations.Customization
	var errs []error
	for _, load := range c.groups {
		set, err := load()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, name := range set.Names() {
			one, _ := set.Get(name)
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b customizations.Customization) int {
		return strings.Compare(a.Object.Name, b.Object.Name)
	})
	return out, errors.Join(errs...)
}

// Problems returns what is wrong with any rule of the catalogue. It compiles all of them.
func (c *Catalogue) Problems() script.Problems {
	var out script.Problems
	for _, group := range slices.Sorted(maps.Keys(c.groups)) {
		if set, err := c.groups[group](); err == nil {
			for _, name := range set.Names() {
				out = append(out, set.Problems(name)...)
			}
		}
	}
	return out
}

// Stats counts the customizations of the groups that were asked about so far, and their rules; nothing is read for it.
func (c *Catalogue) Stats() customizations.Stats {
	stats := c.empty.Stats()
	for _, set := range c.read.Range {
		stats.Add(set.(*customizations.Set).Stats())
	}
	return stats
}
