package cases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Rules returns the interpreter that answers a case. It must be safe for concurrent use. Its error is the case's failure.
type Rules func(*Case) (interpreter.Interpreter, error)

// Fixed returns Rules that are i for every case.
func Fixed(i interpreter.Interpreter) Rules {
	return func(*Case) (interpreter.Interpreter, error) { return i, nil }
}

// CustomizationsFile is the name of the file whose rules answer the cases beside and below it.
const CustomizationsFile = "customizations.yaml"

// Nearest returns Rules that look for each case's own: the customizations that its suite names, else those in the nearest
// CustomizationsFile at or above its folder, else shipped. load makes an interpreter of files, and is called once for the
// same files. Rules that were found answer alone; shipped stands behind them for interpreter.Next.
func Nearest(load func(files ...string) (interpreter.Interpreter, error), shipped interpreter.Interpreter) Rules {
	type loaded struct {
		once        sync.Once
		interpreter interpreter.Interpreter
		err         error
	}
	var cache sync.Map // from the files' names to *loaded
	return func(c *Case) (interpreter.Interpreter, error) {
		files := c.Customizations
		if files == nil {
			file, err := nearest(filepath.Dir(c.File))
			if err != nil {
				return nil, err
			}
			if file == "" {
				return shipped, nil
			}
			files = []string{file}
		}
		entry, _ := cache.LoadOrStore(strings.Join(files, "\x00"), &loaded{})
		l := entry.(*loaded)
		l.once.Do(func() {
			given, err := load(files...)
			if err != nil {
				l.err = err
				return
			}
			l.interpreter = Alone(given, shipped)
		})
		return l.interpreter, l.err
	}
}

// nearest returns the CustomizationsFile in folder or the nearest one above it that has one, or "".
func nearest(folder string) (string, error) {
	full, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for above := ""; ; above = filepath.Join(above, "..") {
		file := filepath.Join(full, CustomizationsFile)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return filepath.Join(folder, above, CustomizationsFile), nil
		} else if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		parent := filepath.Dir(full)
		if parent == full {
			return "", nil
		}
		full = parent
	}
}

// Alone returns given with rest behind it for interpreter.Next only: a question that given does not answer is not handled.
func Alone(given, rest interpreter.Interpreter) interpreter.Interpreter {
	return alone{given: given, rest: rest}
}

type alone struct {
	given, rest interpreter.Interpreter
}

// errDeclined stands for ErrNotHandled of a given rule while rest must not take over.
var errDeclined = errors.New("the given rules decline")

func (a alone) Lookup(gvk schema.GroupVersionKind, op interpreter.Operation) interpreter.Rule {
	given, rest := a.given.Lookup(gvk, op), a.rest.Lookup(gvk, op)
	if given == nil || rest == nil {
		return given
	}
	final := func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		resp, err := given(ctx, req)
		if errors.Is(err, interpreter.ErrNotHandled) {
			return nil, errDeclined
		}
		return resp, err
	}
	ask := interpreter.First(final, rest)
	return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
		resp, err := ask(ctx, req)
		if errors.Is(err, errDeclined) {
			return nil, fmt.Errorf("%w: the given rules alone may answer", interpreter.ErrNotHandled)
		}
		return resp, err
	}
}

func (a alone) Explain(gvk schema.GroupVersionKind, op interpreter.Operation) []interpreter.Source {
	return interpreter.Explain(a.given, gvk, op)
}
