package laws

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/cases"
)

// Result returns the breach as a result that reports can show, with the seed that the inputs were made from.
func (b *Breach) Result(seed uint64) cases.Result {
	result := cases.Result{
		Case: b.Case, Gate: "law " + b.Law.Name, Outcome: cases.Broken, Flags: fmt.Sprintf(" --laws --seed %d", seed), Source: b.Rule, Position: b.Rule.Position,
		Problems: []string{b.Law.Text, b.Wrong},
	}
	if b.Changed != "" {
		result.Problems = append(result.Problems, fmt.Sprintf("with %s (seed %d)", b.Changed, seed))
	}
	result.Problems = append(result.Problems, "smallest inputs: "+b.line())
	if b.Others > 0 {
		result.Problems = append(result.Problems, fmt.Sprintf("so do the inputs of %d more", b.Others))
	}
	return result
}

// Result returns the exemption as a result that reports can show, with the seed that the inputs were made from.
func (e Exemption) Result(seed uint64) cases.Result {
	return cases.Result{
		Case: e.Case, Gate: "law " + e.Law.Name, Outcome: cases.Broken,
		Problems: []string{e.Law.Text, fmt.Sprintf("the law holds (seed %d): want no exemption, got the reason %q", seed, e.Reason)},
	}
}

// caseFields are the fields of a case file by the inputs that they hold.
var caseFields = []struct{ input, field string }{
	{inputObject, "desiredObj"}, {inputObserved, "observedObj"}, {inputReplicas, "inputReplicas"}, {inputItems, "statusItems"},
}

// fields returns the inputs as the fields of a case.
func (b *Breach) fields() map[string]any {
	out := map[string]any{"operation": string(b.Case.Operation)}
	for _, f := range caseFields {
		value, ok := b.Inputs[f.input]
		if !ok || value == nil {
			continue
		}
		if f.input == inputObject && b.Case.Operation.Info().Observed {
			f.field = "observedObj"
		}
		out[f.field] = value
	}
	if context, ok := b.Inputs["context"].(map[string]any); ok {
		for _, key := range []string{"cluster", "targets"} {
			if value, ok := context[key]; ok {
				out[key] = value
			}
		}
	}
	return out
}

// line returns the inputs in one line.
func (b *Breach) line() string {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(b.fields()); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(buffer.String())
}

// Save writes each breach of a report as a case file into folder, which is made when it is not there, and returns the
// names of the files. The same breach has the same name. What the rule should answer is for a person to write: until then
// the case wants no more than an answer.
func Save(folder string, report *Report) ([]string, error) {
	if len(report.Breaches) == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return nil, err
	}
	var files []string
	var errs []error
	for i := range report.Breaches {
		b := &report.Breaches[i]
		data, err := b.caseFile(report.Seed)
		name := filepath.Join(folder, b.fileName(files, folder))
		if err == nil {
			err = os.WriteFile(name, data, 0o600)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("save %s: %w", name, err))
			continue
		}
		files = append(files, name)
	}
	return files, errors.Join(errs...)
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

func (b *Breach) fileName(taken []string, folder string) string {
	kind, _ := b.Inputs[inputObject].(map[string]any)["kind"].(string)
	base := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(kind+"-"+string(b.Case.Operation)+"-"+b.Law.Name), "-"), "-")
	for n := 1; ; n++ {
		name := base + ".yaml"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.yaml", base, n)
		}
		if !slices.Contains(taken, filepath.Join(folder, name)) {
			return name
		}
	}
}

func (b *Breach) caseFile(seed uint64) ([]byte, error) {
	fields := b.fields()
	fields["name"] = fmt.Sprintf("%s: %s", b.Law.Name, b.Case.Name)
	fields["reason"] = b.Law.Text
	fields["assert"] = []any{"true"}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n# Found by dragoman test --laws --seed %d with the inputs of %s:%d.\n",
		strings.ReplaceAll(b.Wrong, "\n", "\n# "), seed, filepath.ToSlash(b.Case.File), b.Case.Line)
	if b.Before != nil {
		fmt.Fprintf(&out, "# It takes the case %q, %s:%d, to be asked before.\n", b.Before.Name, filepath.ToSlash(b.Before.File), b.Before.Line)
	}
	out.WriteString("# Write what the rule should answer in place of assert.\n")
	for _, key := range []string{"name", "reason", "operation"} {
		if err := writeField(&out, key, fields[key]); err != nil {
			return nil, err
		}
		delete(fields, key)
	}
	for _, f := range append(slices.Clone(caseFields), struct{ input, field string }{field: "cluster"}, struct{ input, field string }{field: "targets"}, struct{ input, field string }{field: "assert"}) {
		if err := writeField(&out, f.field, fields[f.field]); err != nil {
			return nil, err
		}
	}
	if _, err := cases.Decode(b.Case.File, out.Bytes()); err != nil {
		return nil, fmt.Errorf("the inputs make no case: %w", err)
	}
	return out.Bytes(), nil
}

func writeField(out *bytes.Buffer, key string, value any) error {
	if value == nil {
		return nil
	}
	data, err := yaml.Marshal(map[string]any{key: value})
	out.Write(data)
	return err
}
