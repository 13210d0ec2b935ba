package cost_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/cases"
	"github.com/dragoman-io/dragoman/cases/cost"
	"github.com/dragoman-io/dragoman/interpreter"
)

// result is that of a case in folder that cost steps and bytes.
func result(folder, name string, steps, bytes int64) cases.Result {
	return cases.Result{
		Case:   &cases.Case{Name: name, File: filepath.Join(folder, "rules", "cases.yaml"), Line: 7},
		Usage:  interpreter.Usage{Steps: steps, Bytes: bytes},
		Source: interpreter.Source{Link: "customizations", Name: "widgets", Field: "statusAggregation", Language: "lua", Position: "rules.yaml:9"},
	}
}

func TestBaseline(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "cost.json")
	_, err := cost.Read(file)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "--update-cost")

	b := cost.New(file)
	b.Put([]cases.Result{
		result(folder, "one", 100, 1000), result(folder, "two", 200, 2000), result(folder, "free", 0, 0),
		{Case: &cases.Case{Name: "one"}, Gate: "law isolated", Usage: interpreter.Usage{Steps: 9}},
	})
	require.NoError(t, b.Write())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	//nolint:testifylint // the text is what is meant: it must be the same each time
	assert.Equal(t, `{
  "cases": {
    "rules/cases.yaml": {
      "one": {
        "steps": 100,
        "bytes": 1000
      },
      "two": {
        "steps": 200,
        "bytes": 2000
      }
    }
  }
}
`, string(data), "names do not depend on where the folder is")

	again, err := cost.Read(file)
	require.NoError(t, err)
	again.Put([]cases.Result{result(folder, "two", 250, 2000)})
	require.NoError(t, again.Write())
	again, err = cost.Read(file)
	require.NoError(t, err)
	broken, unknown := again.Compare([]cases.Result{result(folder, "one", 100, 1000), result(folder, "two", 250, 1999)}, 0)
	assert.Empty(t, broken, "what costs the same or less is fine, and one case was not put again")
	assert.Zero(t, unknown)
}

func TestCompare(t *testing.T) {
	b := cost.New("cost.json")
	b.Put([]cases.Result{result(".", "case", 100, 1000)})
	for _, test := range []struct {
		reason       string
		steps, bytes int64
		tolerance    float64
		want         string
	}{
		{"the same", 100, 1000, 0, ""},
		{"less", 50, 500, 0, ""},
		{"one step more", 101, 1000, 0, "cost.steps  want at most 100  got 101 (+1.0%)"},
		{"both", 150, 2000, 0, "cost.steps  want at most 100  got 150 (+50.0%)\ncost.bytes  want at most 1000  got 2000 (+100.0%)"},
		{"within the tolerance", 110, 1100, 10, ""},
		{"beyond it", 111, 1100, 10, "cost.steps  want at most 100  got 111 (+11.0%)"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			broken, unknown := b.Compare([]cases.Result{result(".", "case", test.steps, test.bytes), result(".", "new", 5, 5)}, test.tolerance)
			assert.Equal(t, 1, unknown)
			var got []string
			for _, r := range broken {
				assert.Equal(t, cases.Broken, r.Outcome)
				assert.Equal(t, "cost", r.Gate)
				got = append(got, r.Problems...)
			}
			assert.Equal(t, test.want, strings.Join(got, "\n"))
		})
	}
}

func TestReadRefusesWhatIsNoBaseline(t *testing.T) {
	for reason, text := range map[string]string{
		"not JSON": "cases:", "an unknown field": `{"costs": {}}`, "another type": `{"cases": {"a": {"b": {"steps": "1"}}}}`,
	} {
		t.Run(reason, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cost.json")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			_, err := cost.Read(file)
			require.ErrorContains(t, err, "cost baseline "+file)
		})
	}
}
