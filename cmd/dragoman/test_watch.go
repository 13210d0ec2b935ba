package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/dragoman-io/dragoman/cases"
)

// settle is how long no file must have changed before cases run: editors write files in several steps.
const settle = 20 * time.Millisecond

// rounds is what test --watch knows between two runs.
type rounds struct {
	*testOptions
	paths   []string
	report  cases.Report
	watcher *fsnotify.Watcher
	// results are those of the last run of each file's cases, by its name as the watcher has it.
	results map[string][]cases.Result
}

// keepTesting runs cases, and again whatever a changed file is about, until the context ends.
func (o *testOptions) keepTesting(ctx context.Context, paths []string, found []*cases.Case, report cases.Report) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("--watch: %w", err)
	}
	defer watcher.Close()
	r := &rounds{testOptions: o, paths: paths, report: report, watcher: watcher, results: map[string][]cases.Result{}}
	if err := r.watchFolders(); err != nil {
		return err
	}
	if err := r.run(ctx, found); err != nil {
		return err
	}
	for {
		changed, err := r.changes(ctx)
		switch {
		case ctx.Err() != nil:
			return nil // the user is done
		case err != nil:
			return fmt.Errorf("--watch: %w", err)
		}
		if err := r.again(ctx, changed); err != nil {
			return err
		}
	}
}

// watchFolders watches the folders of everything that was named.
func (r *rounds) watchFolders() error {
	for _, name := range slices.Concat(r.paths, r.rules) {
		err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir():
				return r.watcher.Add(path)
			case path == name:
				return r.watcher.Add(filepath.Dir(path))
			}
			return nil
		})
		if err != nil {
			return unusablef("--watch: %w", err)
		}
	}
	return nil
}

// watchFolder watches name when it is a folder. One that has gone again is no error.
func (r *rounds) watchFolder(name string) error {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // see above
	}
	return r.watcher.Add(name)
}

// changes waits until files have changed and no more do, and returns their names.
func (r *rounds) changes(ctx context.Context) ([]string, error) {
	var changed []string
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case err := <-r.watcher.Errors:
			return nil, err
		case event := <-r.watcher.Events:
			if event.Has(fsnotify.Create) {
				if err := r.watchFolder(event.Name); err != nil {
					return nil, err
				}
			}
			if event.Op == fsnotify.Chmod || !isYAML(event.Name) {
				continue
			}
			// The watcher writes ./cases.yaml for what the cases say is cases.yaml.
			if name := filepath.Clean(event.Name); !slices.Contains(changed, name) {
				changed = append(changed, name)
			}
			quiet = time.After(settle)
		case <-quiet:
			return changed, nil
		}
	}
}

func isYAML(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}

// again runs the cases that changed files hold, and those that the rules in changed files answer.
func (r *rounds) again(ctx context.Context, changed []string) error {
	var found []*cases.Case
	for file, results := range r.results {
		if !slices.Contains(changed, file) && slices.ContainsFunc(changed, func(name string) bool { return r.answers(name, results) }) {
			for i := range results {
				found = append(found, results[i].Case)
			}
		}
	}
	for _, name := range changed {
		if !r.isNamed(name) {
			continue
		}
		loaded, err := cases.Load(name)
		delete(r.results, name)
		switch {
		case errors.Is(err, cases.ErrNoCases), errors.Is(err, fs.ErrNotExist), filepath.Base(name) == cases.CustomizationsFile:
			continue
		case err != nil:
			fmt.Fprintln(r.ErrOut, err)
			continue
		}
		if loaded, err = r.chosen(loaded); err == nil {
			found = append(found, loaded...)
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b *cases.Case) int {
		if n := strings.Compare(a.File, b.File); n != 0 {
			return n
		}
		return a.Line - b.Line
	})
	return r.run(ctx, found)
}

// isNamed tells whether a file is one that was named, or is in a folder that was and is not hidden there.
func (r *rounds) isNamed(file string) bool {
	return slices.ContainsFunc(r.paths, func(path string) bool {
		inside, err := filepath.Rel(path, file)
		return err == nil && (inside == "." || !strings.HasPrefix(inside, ".") &&
			!strings.Contains(inside, string(filepath.Separator)+"."))
	})
}

// answers tells whether the rules in a file may answer the cases of results.
func (r *rounds) answers(name string, results []cases.Result) bool {
	if len(r.rules) > 0 {
		return !r.isCaseFile(name)
	}
	c := results[0].Case
	if slices.Contains(c.Customizations, name) {
		return true
	}
	folder, file := filepath.Dir(name), filepath.Dir(c.File)
	inside, err := filepath.Rel(folder, file)
	return filepath.Base(name) == cases.CustomizationsFile && err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator))
}

func (r *rounds) isCaseFile(name string) bool {
	_, known := r.results[name]
	return known
}

// run runs cases, reports them, and says how all stand.
func (r *rounds) run(ctx context.Context, found []*cases.Case) error {
	start := time.Now()
	if err := r.gate.prepare(); err != nil {
		return err
	}
	rules, err := r.answering(ctx)
	if err != nil {
		return err
	}
	runner := cases.Runner{Rules: rules, Strict: r.strict, Parallel: r.parallel, Watch: r.gate.watch}
	results := runner.Run(ctx, found)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the user is done
	}
	for i := range results {
		r.results[filepath.Clean(results[i].Case.File)] = nil
	}
	for i := range results {
		file := filepath.Clean(results[i].Case.File)
		r.results[file] = append(r.results[file], results[i])
	}
	if results, err = r.demand(ctx, results, rules); err != nil {
		return err
	}
	if err := r.report(r.Out, results); err != nil {
		return err
	}
	var all cases.Summary
	for _, some := range r.results {
		s := cases.Summarize(some)
		all.Passed += s.Passed
		all.Failed += s.Failed
	}
	_, err = fmt.Fprintf(r.ErrOut, "ran %s in %s; in all %d passed, %d failed; waiting for changes\n",
		counted(len(found), "case"), time.Since(start).Round(time.Millisecond), all.Passed, all.Failed)
	return err
}
