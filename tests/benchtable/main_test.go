package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const output = `goos: linux
goarch: amd64
pkg: example.org/lua
cpu: AMD EPYC
BenchmarkHealth/flink-2   	  500000	      2210 ns/op	     44200 baseline-ns/op	        20.00 x-faster	     512 B/op	       9 allocs/op
BenchmarkHealth/sub-case  	      10	1500000000 ns/op
PASS
ok  	example.org/lua	1.2s
pkg: example.org/cel
BenchmarkComponents-2     	  500000	       810.5 ns/op	       1.62 x-floor	      12.50 cost	      10 items
--- FAIL: BenchmarkBroken
    cel_test.go:10: broken
FAIL
`

func TestTable(t *testing.T) {
	var errors strings.Builder
	_, err := (&failures{to: &errors}).Write([]byte(output))
	require.NoError(t, err)
	assert.Equal(t, "--- FAIL: BenchmarkBroken\n    cel_test.go:10: broken\nFAIL\n", errors.String(), "what went wrong is shown")

	results, err := parse(strings.NewReader(output))
	require.NoError(t, err)
	var table strings.Builder
	require.NoError(t, printTable(&table, results))
	lines := strings.Split(table.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	assert.Equal(t, `
example.org/lua    ours    baseline  x faster  floor  x floor  bytes  allocs  other
  Health/flink     2.21µs  44.2µs    20.0x     -      -        512    9
  Health/sub-case  1.5s    -         -         -      -        -      -

example.org/cel  ours   baseline  x faster  floor  x floor  bytes  allocs  other
  Components     810ns  -         -         -      1.6x     -      -       12.50 cost, 10 items
`, strings.Join(lines, "\n"))
}

func TestParseRefusesWhatIsNoNumber(t *testing.T) {
	_, err := parse(strings.NewReader("pkg: p\nBenchmarkX-2 10 many ns/op\n"))
	assert.EqualError(t, err, `p BenchmarkX-2: ns/op: want number, got "many"`)
}

func TestRunReportsThatNothingMatches(t *testing.T) {
	err := run(t.Context(), []string{"-bench", "NoSuchBenchmark", "."}, &strings.Builder{}, &strings.Builder{})
	assert.EqualError(t, err, `no benchmark matches "NoSuchBenchmark" in .`)
}
