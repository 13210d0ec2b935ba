package argocd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// tests turns the tests of a check into a suite.
type tests struct {
	fsys   fs.FS
	check  *Check
	checks *Checks
	set    *customizations.Set
	clock  time.Time

	names map[string]int
	// others are the checks that answer in place of this one, since they are more exact.
	others []string
	cases  bytes.Buffer
}

// read makes the suite of the check. Tests that cannot be read are skipped.
func (t *tests) read() {
	t.names = map[string]int{}
	file := path.Join(t.check.Folder, testsFile)
	data, err := fs.ReadFile(t.fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.checks.skip(file, cause(err))
		return
	}
	document, value, err := first(file, data)
	if err != nil {
		if at, ok := errors.AsType[*manifest.Error](err); ok {
			file, err = fmt.Sprintf("%s:%d", file, at.Line), at.Err // the place once
		}
		t.checks.skip(file, err)
		return
	}
	list, ok := field(value, "tests").([]any)
	if !ok {
		if field(value, "tests") != nil || value == nil {
			t.checks.skip(file, fmt.Errorf("tests: want a list, got %s", manifest.Describe(field(value, "tests"))))
		}
		return
	}
	for i, test := range list {
		if err := t.add(test); err != nil {
			line := document.LineOf(manifest.Path{"tests", i})
			t.checks.skip(fmt.Sprintf("%s:%d", file, line), err)
		}
	}
	if t.check.Cases > 0 {
		t.check.Suite = t.suite()
	}
}

// add adds the case of one test.
func (t *tests) add(test any) error {
	input, ok := field(test, "inputPath").(string)
	if !ok || input == "" {
		return fmt.Errorf("inputPath: want a file, got %s", manifest.Describe(field(test, "inputPath")))
	}
	health, err := expected(field(test, "healthStatus"))
	if err != nil {
		return err
	}
	object, err := t.object(input)
	if err != nil {
		return fmt.Errorf("inputPath: %s: %w", input, err)
	}
	names := sources(t.set, object)
	if len(names) == 0 {
		return fmt.Errorf("inputPath: %s: no check is for a %s of %s", input, kindOf(object).Kind, kindOf(object).GroupVersion())
	}
	if answering := names[0]; answering != t.check.Name && !slices.Contains(t.others, answering) {
		t.others = append(t.others, answering)
	}
	return t.write(input, health, object)
}

// object returns the object in a file that is named from the check's folder.
func (t *tests) object(input string) (map[string]any, error) {
	file := path.Join(t.check.Folder, filepath.ToSlash(input))
	if !fs.ValidPath(file) {
		return nil, errors.New("want a file below the folder that is imported")
	}
	data, err := fs.ReadFile(t.fsys, file)
	if err != nil {
		return nil, cause(err)
	}
	_, value, err := first(file, data)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("want an object, got %s", manifest.Describe(value))
	}
	if gvk := kindOf(object); gvk.Version == "" || gvk.Kind == "" {
		return nil, errors.New("want an object with apiVersion and kind")
	}
	return object, nil
}

// first returns the first document of a file, as Argo CD reads it: of a key that appears twice the last counts.
func first(file string, data []byte) (*manifest.Document, any, error) {
	documents := manifest.Split(file, data)
	if len(documents) == 0 {
		return nil, nil, errors.New("want a document, got an empty file")
	}
	value, err := documents[0].Decode()
	if value != nil {
		err = nil
	}
	return documents[0], value, err
}

func kindOf(object map[string]any) schema.GroupVersionKind {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// field returns a field of a value in a file of tests, whose keys count in any letter case.
func field(value any, name string) any {
	m, _ := value.(map[string]any)
	if v, ok := m[name]; ok {
		return v
	}
	for key, v := range m {
		if strings.EqualFold(key, name) {
			return v
		}
	}
	return nil
}

// expected returns the health that a test expects. No status stands for a check that has nothing to say.
func expected(value any) (interpreter.Health, error) {
	if _, ok := value.(map[string]any); !ok && value != nil {
		return interpreter.Health{}, fmt.Errorf("healthStatus: want status and message, got %s", manifest.Describe(value))
	}
	var out interpreter.Health
	for _, f := range []struct {
		name string
		to   *string
	}{{"status", (*string)(&out.State)}, {"message", &out.Message}} {
		value := field(value, f.name)
		text, ok := scalar(value)
		if !ok {
			return out, fmt.Errorf("healthStatus.%s: want a string, got %s", f.name, manifest.Describe(value))
		}
		*f.to = text
	}
	if out.State == "" {
		out.State = interpreter.Unknown
	}
	if !slices.Contains(interpreter.HealthStates(), out.State) {
		return out, fmt.Errorf("healthStatus.status: want one of %v, got %q", interpreter.HealthStates(), out.State)
	}
	return out, nil
}

// scalar returns a value as the text that Argo CD reads: a number or boolean without quotes is one, null the empty one.
func scalar(value any) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case bool, int64:
		return fmt.Sprint(v), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	default:
		return "", false
	}
}

// write writes one case.
func (t *tests) write(input string, health interpreter.Health, object map[string]any) error {
	name := strings.TrimSuffix(strings.TrimPrefix(path.Clean(filepath.ToSlash(input)), "testdata/"), path.Ext(input))
	if t.names[name]++; t.names[name] > 1 {
		name = fmt.Sprintf("%s, test %d", name, t.names[name])
	}
	head, err := yaml.Marshal([]struct {
		Name      string `json:"name"`
		Operation string `json:"operation"`
		Reason    string `json:"reason"`
	}{{name, string(interpreter.InterpretHealth), "Argo CD says so of " + input}})
	if err != nil {
		return err
	}
	output, err := yaml.Marshal(map[string]string{"health": string(health.State), "message": health.Message})
	if err != nil {
		return err
	}
	observed, err := yaml.Marshal(object)
	if err != nil {
		return err
	}
	t.check.Cases++
	t.cases.Write(head)
	t.cases.WriteString("  output:\n" + indented(string(output), "    "))
	t.cases.WriteString("  observedObj:\n" + indented(string(observed), "    "))
	return nil
}

// suite returns the suite of all cases.
func (t *tests) suite() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Imported from %s.\napiVersion: dragoman.io/v1alpha1\nkind: InterpreterTestSuite\nmetadata:\n  name: %q\n",
		path.Join(t.check.Folder, testsFile), t.check.Folder)
	if t.check.usesClock && !t.clock.IsZero() {
		fmt.Fprintf(&b, "clock: %q\n", t.clock.UTC().Format(time.RFC3339))
	}
	if len(t.others) > 0 {
		b.WriteString("# More exact checks answer for some of the objects.\ncustomizations:\n- " + customizationsFile + "\n")
		up := strings.Repeat("../", strings.Count(t.check.Folder, "/")+1)
		for _, check := range t.checks.Checks {
			if slices.Contains(t.others, check.Name) {
				fmt.Fprintf(&b, "- %q\n", up+path.Join(check.Folder, customizationsFile))
			}
		}
	}
	b.WriteString("cases:\n")
	b.Write(t.cases.Bytes())
	return b.Bytes()
}
