package cases

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a file of testdata, or rewrites it.
func golden(t *testing.T, file, text string) {
	t.Helper()
	file = filepath.Join("testdata", filepath.FromSlash(file))
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run with -update to write it")
	assert.Equal(t, string(want), text)
}

func TestUpdate(t *testing.T) {
	inputs, err := filepath.Glob("testdata/update/*.in.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, inputs)
	for _, input := range inputs {
		name := strings.TrimSuffix(filepath.Base(input), ".in.yaml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(input)
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "cases.yaml")
			require.NoError(t, os.WriteFile(file, data, 0o600))

			found, err := Load(file)
			require.NoError(t, err)
			runner := Runner{Rules: Fixed(sample{})}
			_, err = Update(runner.Run(t.Context(), found), UpdateOptions{})
			text := ""
			if err != nil {
				text = "# " + strings.ReplaceAll(strings.ReplaceAll(err.Error(), file, "cases.yaml"), "\n", "\n# ") + "\n"
			}
			after, err := os.ReadFile(file)
			require.NoError(t, err)
			golden(t, "update/"+name+".out.yaml", text+string(after))

			// What was updated passes, and updating again changes nothing.
			found, err = Load(file)
			require.NoError(t, err)
			changed, _ := Update(runner.Run(t.Context(), found), UpdateOptions{})
			assert.Empty(t, changed, "the second update has nothing to do")
		})
	}
}
