package argocd

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

const (
	scriptFile = "health.lua"
	testsFile  = "health_test.yaml"
	actions    = "actions"
)

// ErrNoChecks is the error of Read when there is no health check.
var ErrNoChecks = errors.New("no health checks found: want folders <group>/<Kind> with a " + scriptFile)

// Options say how checks are read.
type Options struct {
	// Clock is the time that the cases of scripts give them that ask for the time, as Argo CD's own tests give them the
	// real one. Zero leaves it to the runner of the cases.
	Clock time.Time
}

// Checks are the health checks of a folder.
type Checks struct {
	// Checks are those that were read, in the order of their folders.
	Checks []*Check
	// Skipped is what could not be read, in the order of its paths.
	Skipped []Skip
	// Untested are the folders of checks that have no case.
	Untested []string
	// Actions are the folders of scripts that act on objects; there is no operation for these.
	Actions []string
}

// Skip is a part of the input that was passed over.
type Skip struct {
	// Path is the script, or the file of tests, below the root.
	Path string
	// Err says why.
	Err error
}

// Check is one health check.
type Check struct {
	// Folder is <group>/<Kind> as it was found, or <Kind> for a kind of the core group.
	Folder string
	// Name is the customization's name.
	Name string
	// Customization is the customization and Suite its cases, as YAML; Suite is empty when there are none.
	Customization, Suite []byte
	// Cases is how many cases Suite holds.
	Cases int

	script    string // as customizations hold it
	usesClock bool
}

// Cases returns how many cases all checks have.
func (c *Checks) Cases() int {
	n := 0
	for _, check := range c.Checks {
		n += check.Cases
	}
	return n
}

func (c *Checks) skip(file string, err error) {
	c.Skipped = append(c.Skipped, Skip{Path: file, Err: err})
}

// Read reads every health check below the root of fsys, which is not written to. A check whose script does not compile, a
// case whose input is not there and the like are skipped, and in Checks.Skipped; the error is that nothing was found, or
// that fsys cannot be read.
func Read(fsys fs.FS, o Options) (*Checks, error) {
	out := &Checks{}
	found, err := out.find(fsys)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 && len(out.Skipped) == 0 {
		return nil, ErrNoChecks
	}
	set, err := out.compile(found)
	if err != nil {
		return nil, err
	}
	for _, check := range out.Checks {
		r := tests{fsys: fsys, check: check, checks: out, set: set, clock: o.Clock}
		r.read()
		if check.Cases == 0 {
			out.Untested = append(out.Untested, check.Folder)
		}
	}
	slices.SortStableFunc(out.Skipped, func(a, b Skip) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// find returns the checks that have a target and a script.
func (c *Checks) find(fsys fs.FS) ([]*Check, error) {
	var found []*Check
	err := fs.WalkDir(fsys, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == actions:
			c.Actions = append(c.Actions, file)
			return fs.SkipDir
		case entry.IsDir() || entry.Name() != scriptFile:
			return nil
		}
		check, err := newCheck(fsys, path.Dir(file))
		if err != nil {
			c.skip(file, err)
			return nil
		}
		found = append(found, check)
		return nil
	})
	return found, err
}

// compile keeps the checks that compile, and returns the set of them.
func (c *Checks) compile(found []*Check) (*customizations.Set, error) {
	engines, err := customizations.Engines(script.Limits{})
	if err != nil {
		return nil, err
	}
	set := customizations.New(customizations.Options{Link: "customizations", Engines: engines})
	folders := map[string]string{}
	for _, check := range found {
		file := path.Join(check.Folder, scriptFile)
		if other, ok := folders[check.Name]; ok {
			c.skip(file, fmt.Errorf("want one check of a kind, got another in %s", other))
			continue
		}
		decoded, err := customizations.Decode(path.Join(check.Folder, customizationsFile), check.Customization)
		if err != nil {
			c.skip(file, err)
			continue
		}
		with := set.With(decoded...)
		err = problem(with.Problems(check.Name))
		if err == nil {
			err = check.alone()
		}
		if err != nil {
			c.skip(file, err)
			continue
		}
		set, folders[check.Name] = with, check.Folder
		c.Checks = append(c.Checks, check)
	}
	return set, nil
}

// problem returns the first error among problems, with the line of the script as it came.
func problem(problems script.Problems) error {
	for _, p := range problems {
		if p.Severity != script.Error {
			continue
		}
		if line := p.Line - linesBefore; line > 0 {
			return fmt.Errorf("line %d: %s", line, p.Message)
		}
		return errors.New(p.Message)
	}
	return nil
}

// sources returns the names of the customizations that are asked for the health of an object of a kind, first to last.
func sources(set *customizations.Set, object map[string]any) []string {
	gvk := kindOf(object)
	var names []string
	for _, source := range set.Explain(gvk, interpreter.InterpretHealth) {
		names = append(names, source.Name)
	}
	return names
}
