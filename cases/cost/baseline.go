package cost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/interpreter"
)

// Baseline is what cases cost, as a file holds it. It is not safe for concurrent use.
type Baseline struct {
	// file is where it is kept; the files of cases are named relative to its folder.
	file string
	// cases are by the file and the name of the case.
	cases map[string]map[string]usage
}

// usage is an interpreter.Usage in the file.
type usage struct {
	Steps int64 `json:"steps"`
	Bytes int64 `json:"bytes"`
}

// New returns a Baseline without cases, to be kept in file.
func New(file string) *Baseline {
	return &Baseline{file: file, cases: map[string]map[string]usage{}}
}

// Read returns the Baseline that file holds. One that is not there is an error for which errors.Is(err, fs.ErrNotExist)
// holds.
func Read(file string) (*Baseline, error) {
	data, err := os.ReadFile(file) //nolint:gosec // the user names the file
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cost baseline: %w: write it with --update-cost", err)
	}
	if err != nil {
		return nil, fmt.Errorf("cost baseline: %w", err)
	}
	var content struct {
		Cases map[string]map[string]usage `json:"cases"`
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&content); err != nil {
		return nil, fmt.Errorf("cost baseline %s: %w", file, err)
	}
	b := New(file)
	if content.Cases != nil {
		b.cases = content.Cases
	}
	return b, nil
}

// Write writes the baseline into its file, in an order that does not depend on how it was made.
func (b *Baseline) Write() error {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(map[string]any{"cases": b.cases}); err != nil {
		return err
	}
	return os.WriteFile(b.file, data.Bytes(), 0o600)
}

// Put makes the cost of results what is expected of their cases. Those of other cases stay.
func (b *Baseline) Put(results []cases.Result) {
	for i := range results {
		r := &results[i]
		if r.Gate != "" || r.Usage == (interpreter.Usage{}) {
			continue
		}
		file := b.nameOf(r.Case)
		if b.cases[file] == nil {
			b.cases[file] = map[string]usage{}
		}
		b.cases[file][r.Case.Name] = usage(r.Usage)
	}
}

// nameOf returns the file of a case as the baseline names it.
func (b *Baseline) nameOf(c *cases.Case) string {
	folder, err := filepath.Abs(filepath.Dir(b.file))
	if err != nil {
		return filepath.ToSlash(c.File)
	}
	file, err := filepath.Abs(c.File)
	if err != nil {
		return filepath.ToSlash(c.File)
	}
	if name, err := filepath.Rel(folder, file); err == nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(file)
}

// Compare returns a result for each case that costs more than the baseline says, by more than tolerance percent, and how
// many cases the baseline does not have.
func (b *Baseline) Compare(results []cases.Result, tolerance float64) (broken []cases.Result, unknown int) {
	for i := range results {
		r := &results[i]
		if r.Gate != "" || r.Usage == (interpreter.Usage{}) {
			continue
		}
		want, ok := b.cases[b.nameOf(r.Case)][r.Case.Name]
		if !ok {
			unknown++
			continue
		}
		var problems []string
		for _, part := range []struct {
			name      string
			want, got int64
		}{{"steps", want.Steps, r.Usage.Steps}, {"bytes", want.Bytes, r.Usage.Bytes}} {
			if float64(part.got) > float64(part.want)*(1+tolerance/100) {
				problems = append(problems, fmt.Sprintf("cost.%s  want at most %d  got %d%s", part.name, part.want, part.got, more(part.want, part.got)))
			}
		}
		if problems != nil {
			broken = append(broken, cases.Result{
				Case: r.Case, Gate: "cost", Outcome: cases.Broken, Problems: problems, Source: r.Source, Position: r.Source.Position,
				Usage: r.Usage,
			})
		}
	}
	return broken, unknown
}

func more(want, got int64) string {
	if want == 0 {
		return ""
	}
	return fmt.Sprintf(" (+%.1f%%)", 100*float64(got-want)/float64(want))
}
