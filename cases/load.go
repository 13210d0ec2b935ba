package cases

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/manifest"
)

// ErrNoCases is the error of Load when there is nothing wrong and no case.
var ErrNoCases = errors.New("no cases found: want YAML documents with operation: or of kind " + SuiteKind)

// Load returns the cases of files and folders, folders with all that is below them, in the order of paths and then of file
// names, and those of each file once. A file that is named, or that looks like cases, and does not parse is an error; other
// documents are passed over. The error joins all that is wrong; the cases that could be read are returned beside it.
func Load(paths ...string) ([]*Case, error) {
	var found []*Case
	var errs []error
	cleaned := make([]string, len(paths))
	for i, path := range paths {
		cleaned[i] = filepath.Clean(path)
	}
	read := map[string]bool{}
	for _, path := range paths {
		err := walk(path, func(file string) error {
			name := filepath.Clean(file)
			if read[name] {
				return nil
			}
			read[name] = true
			data, err := os.ReadFile(file) //nolint:gosec // reading the files that it is given is what it is for
			if err != nil {
				return err
			}
			cases, err := decode(file, data, slices.Contains(cleaned, name))
			found = append(found, cases...)
			return err
		})
		if err != nil {
			errs = append(errs, err)
		}
	}
	if len(found) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%s: %w", strings.Join(paths, ", "), ErrNoCases))
	}
	return found, errors.Join(errs...)
}

// walk calls visit for path, or for every YAML or JSON file below it, hidden ones left out, and joins the errors.
func walk(path string, visit func(file string) error) error {
	info, err := os.Stat(path)
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err // which the operating system's name of the call does not help
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	if !info.IsDir() {
		return visit(path)
	}
	var errs []error
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && file != path
		switch {
		case err != nil:
			errs = append(errs, err)
		case entry.IsDir():
			if hidden {
				return filepath.SkipDir
			}
		case !hidden && manifest.IsFile(file):
			if err := visit(file); err != nil {
				errs = append(errs, err)
			}
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}

// Decode returns the cases in the data of a file. File is its name, for positions and for the files that cases name. The
// error joins all that is wrong; the cases that could be read are returned beside it.
func Decode(file string, data []byte) ([]*Case, error) { return decode(file, data, true) }

func decode(file string, data []byte, named bool) ([]*Case, error) {
	var found []*Case
	var errs []error
	for _, d := range manifest.Split(file, data) {
		cases, err := documentCases(d, named)
		found = append(found, cases...)
		if err != nil {
			errs = append(errs, err)
		}
	}
	return found, errors.Join(errs...)
}

var looksLikeCases = regexp.MustCompile(`(?m)(?:^|[{,])\s*["']?(operation|desiredObj|observedObj|statusItems)["']?\s*:|` + SuiteKind)

// documentCases returns the cases of a document; none when it is something else.
func documentCases(d *manifest.Document, named bool) ([]*Case, error) {
	looks := looksLikeCases.Match(d.Text)
	if !looks && !named {
		return nil, nil
	}
	value, err := d.Decode()
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, err
	}
	_, isCase := fields["operation"]
	switch {
	case fields["kind"] == SuiteKind:
		if err != nil {
			return nil, err
		}
		return decodeSuite(d, fields)
	case !isCase && fields["kind"] == nil && hasInputs(fields):
		return nil, errors.Join(err, d.Errorf(nil, "operation: want one of the operations, got none"))
	case !isCase:
		return nil, nil
	}
	c, caseErr := decodeCase(d, "", fields, []place{{fields: fields}}, nil)
	if c.Recorded {
		err = nil // a key that appears twice
	}
	return []*Case{c}, errors.Join(err, caseErr)
}

func hasInputs(fields map[string]any) bool {
	return slices.ContainsFunc([]string{"desiredObj", "observedObj", "statusItems", "inputReplicas"}, func(key string) bool {
		_, ok := fields[key]
		return ok
	})
}
