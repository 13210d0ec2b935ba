package cases

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/dragoman-io/dragoman/manifest"
)

// UpdateOptions say how expectations are compared before they are rewritten.
type UpdateOptions struct {
	// Strict is that of the Runner.
	Strict bool
}

// Update rewrites what cases expect to what was answered, in the files they were loaded from, and returns the names of the
// files it changed. Only what differs is written anew: what is still true, matchers among it, comments and everything
// around the expected output stay as they are. A case that has no answer to write is an error; the others are rewritten.
func Update(results []Result, options UpdateOptions) ([]string, error) {
	var changed []string
	var errs []error
	var files []string
	byFile := map[string][]*Result{}
	for i := range results {
		r := &results[i]
		write, err := needsUpdate(r)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: case %q: %w", r.Case.File, r.Case.Line, r.Case.Name, err))
		}
		if !write {
			continue
		}
		file := r.Case.File
		if r.Case.Expect.OutputFile != "" {
			file = r.Case.Expect.OutputFile
		}
		if byFile[file] == nil {
			files = append(files, file)
		}
		byFile[file] = append(byFile[file], r)
	}
	for _, file := range files {
		update := updateCases
		if byFile[file][0].Case.Expect.OutputFile != "" {
			update = updateGolden
		}
		written, err := update(file, byFile[file], options)
		if err != nil {
			errs = append(errs, err)
		}
		if written {
			changed = append(changed, file)
		}
	}
	return changed, errors.Join(errs...)
}

// needsUpdate tells whether the case's expected output is to be rewritten, or why it should and cannot be.
func needsUpdate(r *Result) (bool, error) {
	e := &r.Case.Expect
	switch {
	case r.Outcome == Passed:
		return false, nil
	case r.Err != nil:
		return false, fmt.Errorf("there is no answer to write: %w", r.Err)
	case e.Error != nil || e.NotHandled:
		return false, errors.New("an answer where none is expected: change the case by hand")
	case len(r.Diffs) == 0 && !e.IsEmpty() && e.OutputFile == "":
		return false, errors.New("what fails is no expected output: change the case by hand")
	}
	return true, nil
}

func (o UpdateOptions) comparison(c *Case) comparison {
	return comparison{lenient: c.Recorded && !o.Strict, matchers: !c.Recorded}
}

// edit replaces lines of a file: those from first up to, not including, end, counted from 1.
type edit struct {
	first, end int
	text       string
}

// updateCases rewrites the expected outputs of cases in one file, and tells whether it did for any.
func updateCases(file string, results []*Result, options UpdateOptions) (bool, error) {
	before, err := os.ReadFile(file) //nolint:gosec // the cases came from there
	if err != nil {
		return false, err
	}
	var edits []edit
	var edited []*Result
	var errs []error
	for _, r := range results {
		e, err := outputEdit(before, r, options)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: case %q: %w", file, r.Case.Line, r.Case.Name, err))
			continue
		}
		edits, edited = append(edits, e), append(edited, r)
	}
	if len(edits) == 0 {
		return false, errors.Join(errs...)
	}
	after := apply(before, edits)
	if err := verify(file, after, edited, options); err != nil {
		return false, errors.Join(append(errs, err)...)
	}
	if err := replaceFile(file, after); err != nil {
		return false, errors.Join(append(errs, err)...)
	}
	return true, errors.Join(errs...)
}

// apply returns data with its lines replaced.
func apply(data []byte, edits []edit) []byte {
	lines := slices.Collect(bytes.Lines(data))
	slices.SortFunc(edits, func(a, b edit) int { return b.first - a.first })
	for _, e := range edits {
		first := min(e.first-1, len(lines))
		if first > 0 && !bytes.HasSuffix(lines[first-1], []byte("\n")) {
			lines[first-1] = append(slices.Clone(lines[first-1]), '\n')
		}
		lines = slices.Replace(lines, first, min(e.end-1, len(lines)), []byte(e.text))
	}
	return bytes.Join(lines, nil)
}

// outputEdit returns the edit that makes a case expect what it was answered.
func outputEdit(file []byte, r *Result, options UpdateOptions) (edit, error) {
	c := r.Case
	at := c.placeOf(manifest.Path{"output"})
	if _, own := c.places[0].fields["output"]; !own && len(c.places) > 1 {
		return edit{}, errors.New("the output is shared by the rows of the matrix: give the row one of its own")
	}
	fields, end := c.document.Extent(at.path)
	if fields == nil || fields.Kind != yamlv3.MappingNode {
		return edit{}, errors.New("its place in the file is not found")
	}
	var old *yamlv3.Node
	block := span{first: end, end: end}
	if key, value := manifest.Child(fields, "output"); key != nil {
		old = value
		block.first = c.document.Start + key.Line - 1
		_, block.end = c.document.Extent(at.path.With("output"))
	}
	block = block.trimmed(file, fields.Column-1, old == nil)

	info := c.Operation.Info()
	compare := options.comparison(c)
	updated, err := updateOutput(compare, info.Outputs, old, c, r.Outputs)
	if err != nil {
		return edit{}, err
	}
	text, err := encodeField("output", updated, fields.Column-1)
	return edit{first: block.first, end: block.end, text: text}, err
}

// span is some lines of a file: from first up to, not including, end, counted from 1.
type span struct{ first, end int }

// trimmed returns s without the blank lines and the comments at its end that do not stand deeper than indent. An empty
// span moves up in front of them.
func (s span) trimmed(file []byte, indent int, empty bool) span {
	lines := slices.Collect(bytes.Lines(file))
	s.end = min(s.end, len(lines)+1)
	for s.end > 1 && (empty || s.end > s.first+1) {
		line := lines[s.end-2]
		content := bytes.TrimSpace(line)
		depth := len(line) - len(bytes.TrimLeft(line, " "))
		if len(content) > 0 && (content[0] != '#' || depth > indent) {
			break
		}
		s.end--
	}
	if empty {
		s.first = s.end
	}
	return s
}

// encodeField returns "key: value" as lines of YAML, indented.
func encodeField(key string, value *yamlv3.Node, indent int) (string, error) {
	field := &yamlv3.Node{Kind: yamlv3.MappingNode, Content: []*yamlv3.Node{{Kind: yamlv3.ScalarNode, Value: key}, value}}
	data, err := encodeNode(field)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) > 0 {
			b.Write(bytes.Repeat([]byte(" "), indent))
		}
		b.Write(line)
	}
	return b.String(), nil
}

func encodeNode(node *yamlv3.Node) ([]byte, error) {
	var b bytes.Buffer
	encoder := yamlv3.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(node); err != nil {
		return nil, err
	}
	return b.Bytes(), encoder.Close()
}

// verify tells whether the changed file says what it should, before it is written.
func verify(file string, data []byte, results []*Result, options UpdateOptions) error {
	reread, err := decode(file, data, true)
	if err != nil {
		return fmt.Errorf("%s: not updated, the result would not parse: %w", file, err)
	}
	for _, r := range results {
		i := slices.IndexFunc(reread, func(c *Case) bool { return c.Name == r.Case.Name })
		if i < 0 {
			return fmt.Errorf("%s: not updated, case %q would be lost", file, r.Case.Name)
		}
		same := slices.ContainsFunc(reread, func(c *Case) bool {
			compare := options.comparison(c)
			compare.outputs(c.Operation.Info(), c.Expect.Output, r.Outputs)
			return c.Name == r.Case.Name && len(compare.diffs) == 0
		})
		if !same {
			return fmt.Errorf("%s: not updated, case %q would still expect something else: change it by hand", file, r.Case.Name)
		}
	}
	return nil
}

// updateGolden rewrites the file that holds the expected output of cases.
func updateGolden(file string, results []*Result, options UpdateOptions) (bool, error) {
	r := results[0]
	var old *yamlv3.Node
	data, err := os.ReadFile(file) //nolint:gosec // the case names the file
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, err
	default:
		if documents := manifest.Split(file, data); len(documents) == 1 {
			old = documents[0].Node()
		}
	}
	expected := *r.Case
	if old != nil {
		expected.Expect.Output, err = readOutputFile(file, r.Case.Operation.Info())
		if err != nil {
			old, expected.Expect.Output = nil, nil
		}
	}
	updated, err := updateOutput(options.comparison(r.Case), r.Case.Operation.Info().Outputs, old, &expected, r.Outputs)
	if err != nil {
		return false, err
	}
	if data, err = encodeNode(updated); err != nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // a folder of test data
		return false, err
	}
	err = replaceFile(file, data)
	return err == nil, err
}

// replaceFile writes a file whole or not at all.
func replaceFile(file string, data []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), ".update-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(data)
	if err := errors.Join(err, temporary.Chmod(mode), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}
