package cases

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/manifest"
)

// SuiteKind is the kind of a document that holds many cases.
const SuiteKind = "InterpreterTestSuite"

// suiteFields are the fields of a suite besides apiVersion, kind and metadata.
var suiteFields = []string{"name", "description", "customizations", "clock", "bases", "exempt", "cases"}

// decodeSuite returns the cases of a suite, a row of a matrix counting as one.
func decodeSuite(d *manifest.Document, fields map[string]any) ([]*Case, error) {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(suiteFields, key) && key != "apiVersion" && key != "kind" && key != "metadata" {
			errs = append(errs, d.Errorf(manifest.Path{key}, "unknown field %q of a suite: want one of %s", key, strings.Join(suiteFields, ", ")))
		}
	}
	suite, _ := fields["name"].(string)
	if metadata, ok := fields["metadata"].(map[string]any); ok && suite == "" {
		suite, _ = metadata["name"].(string)
	}
	bases, ok := fields["bases"].(map[string]any)
	if !ok {
		if fields["bases"] != nil {
			errs = append(errs, d.Errorf(manifest.Path{"bases"}, "bases: want objects by name, got %s", manifest.Describe(fields["bases"])))
		}
		bases = map[string]any{}
	}
	customizations, err := decodeCustomizations(d, fields["customizations"])
	if err != nil {
		errs = append(errs, err)
	}
	list, ok := fields["cases"].([]any)
	if !ok || len(list) == 0 {
		errs = append(errs, d.Errorf(manifest.Path{"cases"}, "cases: want a list of cases, got %s", described(fields["cases"])))
	}
	clock, err := decodeClock(d, fields["clock"])
	if err != nil {
		errs = append(errs, err)
	}

	var exempt map[string]string
	if fields["exempt"] != nil {
		exempt = decodeExemptions(fields["exempt"], func(field manifest.Path, format string, args ...any) {
			errs = append(errs, d.Errorf(field, format, args...))
		})
	}

	var found []*Case
	for i, value := range list {
		rows, err := decodeSuiteCase(d, suite, manifest.Path{"cases", i}, value, bases)
		if err != nil {
			errs = append(errs, err)
		}
		for _, c := range rows {
			c.Customizations = customizations
			c.exempt(exempt)
			if c.Clock.IsZero() {
				c.Clock = clock
			}
		}
		found = append(found, rows...)
	}
	return found, errors.Join(errs...)
}

func decodeCustomizations(d *manifest.Document, value any) ([]string, error) {
	var files []string
	switch v := value.(type) {
	case nil:
		return nil, nil
	case string:
		files = []string{v}
	default:
		if err := recode(value, &files, true); err != nil {
			return nil, d.Errorf(manifest.Path{"customizations"}, "customizations: want a list of files: %w", err)
		}
	}
	for i, file := range files {
		files[i] = filepath.Join(filepath.Dir(d.File), filepath.FromSlash(file))
	}
	return files, nil
}

func decodeClock(d *manifest.Document, value any) (time.Time, error) {
	text, ok := value.(string)
	if value == nil {
		return time.Time{}, nil
	}
	clock, err := time.Parse(time.RFC3339, text)
	if !ok || err != nil {
		return time.Time{}, d.Errorf(manifest.Path{"clock"}, "clock: want a time such as 2026-01-31T12:00:00Z, got %s", manifest.Describe(value))
	}
	return clock, nil
}

// nameOf returns the name of the case, or of the row of a matrix, at path.
func nameOf(d *manifest.Document, path manifest.Path, fields map[string]any) (string, error) {
	switch name := fields["name"].(type) {
	case nil:
		return "", d.Errorf(path, "%s.name: want a name, got none", path)
	case string:
		if name == "" {
			return "", d.Errorf(path.With("name"), `%s.name: want a name, got ""`, path)
		}
		return name, nil
	default:
		return "", d.Errorf(path.With("name"), "%s.name: want a string, got %s: put it in quotes", path, manifest.Describe(name))
	}
}

// described is manifest.Describe of what should be a list with elements.
func described(v any) string {
	if list, ok := v.([]any); ok && len(list) == 0 {
		return "an empty list"
	}
	return manifest.Describe(v)
}

// decodeSuiteCase returns the case at path, or one for each row of its matrix.
func decodeSuiteCase(d *manifest.Document, suite string, path manifest.Path, value any, bases map[string]any) ([]*Case, error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, d.Errorf(path, "%s: want a case, got %s", path, manifest.Describe(value))
	}
	name, err := nameOf(d, path, fields)
	if err != nil {
		return nil, err
	}
	if suite != "" {
		name = suite + "/" + name
	}
	own := place{path: path, fields: fields}
	matrix, hasMatrix := fields["matrix"]
	if !hasMatrix {
		c, err := decodeOwn(d, name, fields, []place{own}, bases)
		return []*Case{c}, err
	}
	rows, ok := matrix.([]any)
	if !ok || len(rows) == 0 {
		return nil, d.Errorf(path.With("matrix"), "%s.matrix: want a list of rows, got %s", path, described(matrix))
	}
	shared := maps.Clone(fields)
	delete(shared, "matrix")
	var found []*Case
	var errs []error
	for i, value := range rows {
		rowPath := path.With("matrix").With(i)
		row, ok := value.(map[string]any)
		if !ok {
			errs = append(errs, d.Errorf(rowPath, "%s: want fields of a case, name among them, got %s", rowPath, manifest.Describe(value)))
			continue
		}
		rowName, err := nameOf(d, rowPath, row)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		merged := overlay(shared, row).(map[string]any)
		c, err := decodeOwn(d, name+"/"+rowName, merged, []place{{path: rowPath, fields: row}, own}, bases)
		if err != nil {
			errs = append(errs, err)
		}
		found = append(found, c)
	}
	return found, errors.Join(errs...)
}

// decodeOwn decodes a case in our format, which needs a reason.
func decodeOwn(d *manifest.Document, name string, fields map[string]any, places []place, bases map[string]any) (*Case, error) {
	c, err := decodeCase(d, name, fields, places, bases)
	if _, ok := fields["reason"]; !ok {
		err = errors.Join(err, c.errorf(nil, "reason: want why this case exists, got none"))
	}
	return c, err
}

// isDerived tells whether an object is written as a base and changes of it.
func isDerived(object map[string]any) bool {
	_, hasBase := object["base"]
	_, isObject := object["apiVersion"]
	return hasBase && !isObject
}

// derive returns the object that {base, patch, remove} stands for. Bases may be made from bases; above holds the names of
// those that are being made. What it returns shares memory with bases.
func derive(bases map[string]any, fields map[string]any, above []string) (any, error) {
	name, ok := fields["base"].(string)
	base, there := bases[name]
	switch {
	case !ok || !there:
		return nil, fmt.Errorf("base: want one of %s, got %s", strings.Join(slices.Sorted(maps.Keys(bases)), ", "), manifest.Describe(fields["base"]))
	case slices.Contains(above, name):
		return nil, fmt.Errorf("base %q is made from itself: %s", name, strings.Join(append(above, name), " from "))
	}
	if object, ok := base.(map[string]any); ok && isDerived(object) {
		var err error
		if base, err = derive(bases, object, append(above, name)); err != nil {
			return nil, err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch key {
		case "base", "remove":
		case "patch":
			if _, ok := fields[key].(map[string]any); !ok {
				return nil, fmt.Errorf("patch: want a merge patch, got %s", manifest.Describe(fields[key]))
			}
			base = merge(base, fields[key])
		default:
			return nil, fmt.Errorf("unknown field %q: want base, patch and remove", key)
		}
	}
	var removals []string
	if fields["remove"] != nil {
		if err := recode(fields["remove"], &removals, true); err != nil {
			return nil, fmt.Errorf("remove: want a list of fields: %w", err)
		}
	}
	for _, text := range removals {
		path, err := manifest.ParsePath(text)
		if err != nil {
			return nil, fmt.Errorf("remove: %w", err)
		}
		if base, err = remove(base, path); err != nil {
			return nil, err
		}
	}
	return base, nil
}
