package cases

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzDecode holds that no file crashes or hangs the loader, that whatever it accepts can be run, compared, reported and
// updated, and that the places it names are in the file.
func FuzzDecode(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.yaml", "testdata/*/*/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(data)
		}
	}
	f.Add([]byte("{\"operation\": 1}"))
	f.Add([]byte("operation: &a [*a]"))
	f.Add([]byte("operation: InterpretReplica\r\ndesiredObj: {apiVersion: v1, kind: Pod}\r\noutput: {replica: 1}\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := Decode("fuzz.yaml", data)
		if err != nil {
			return
		}
		for _, c := range found {
			if c.Line < 1 || c.lineOf([]any{"output", "replica"}) < 1 {
				t.Errorf("case %q has no line", c.Name)
			}
			c.Expect.OutputFile, c.Clock = "", time.Time{}
		}
		results := Runner{Rules: Fixed(sample{})}.Run(t.Context(), found)
		var edits []edit
		for i := range results {
			r := &results[i]
			if ok, _ := needsUpdate(r); !ok {
				continue
			}
			if e, err := outputEdit(data, r, UpdateOptions{}); err == nil {
				edits = append(edits, e)
			}
		}
		apply(data, edits)
	})
}
