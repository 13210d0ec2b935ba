// Benchtable runs the module's benchmarks and prints one table of them.
//
//	go run ./tests/benchtable [-bench regexp] [-benchtime t] [package...]
//
// Without packages it runs those of the whole module. A benchmark that measures a baseline and a floor in the same run
// reports what came out with b.ReportMetric, in these units:
//
//	baseline-ns/op  time of one operation by the baseline
//	x-faster        the baseline's time divided by ours
//	floor-ns/op     time of one operation by the least that could do the work
//	x-floor         our time divided by the floor's
//
// Each has a column of its own beside time and allocations; every other unit is printed in the last column.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
}

// run runs the benchmarks and prints their table, even if some of them failed.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("benchtable", flag.ContinueOnError)
	flags.SetOutput(stderr)
	bench := flags.String("bench", ".", "the benchmarks to run, as for go test")
	benchtime := flags.String("benchtime", "1s", "how long, or how often (as 100x), to run each, as for go test")
	if err := flags.Parse(args); err != nil {
		return err
	}
	packages := flags.Args()
	if len(packages) == 0 {
		packages = []string{"./..."}
	}

	goTest := append([]string{"test", "-run=^$", "-bench=" + *bench, "-benchtime=" + *benchtime, "-benchmem", "-timeout=1h", "-p=1"}, packages...)
	command := exec.CommandContext(ctx, "go", goTest...)
	command.Stderr = stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	results, parseErr := parse(io.TeeReader(out, &failures{to: stderr}))
	runErr := command.Wait()
	if err := printTable(stdout, results); err != nil {
		return err
	}
	switch {
	case parseErr != nil:
		return parseErr
	case runErr != nil:
		return fmt.Errorf("go %s: %w", strings.Join(goTest, " "), runErr)
	case len(results) == 0:
		return fmt.Errorf("no benchmark matches %q in %s", *bench, strings.Join(packages, " "))
	}
	return nil
}

// failures passes on what go test prints but benchmarks and packages that were fine.
type failures struct {
	to   io.Writer
	line []byte
}

// Write takes the output of go test in pieces of any size.
func (f *failures) Write(p []byte) (int, error) {
	for _, c := range p {
		f.line = append(f.line, c)
		if c != '\n' {
			continue
		}
		known := slices.ContainsFunc([]string{"Benchmark", "goos:", "goarch:", "cpu:", "pkg:", "PASS", "ok ", "?"}, func(prefix string) bool {
			return strings.HasPrefix(string(f.line), prefix)
		})
		if !known {
			if _, err := f.to.Write(f.line); err != nil {
				return 0, err
			}
		}
		f.line = f.line[:0]
	}
	return len(p), nil
}

// A result is one benchmark of one package: what it measured, by unit.
type result struct {
	pkg, name string
	metrics   map[string]float64
}

// parse reads the output of go test -bench. Lines that are no benchmark's result are passed over.
func parse(r io.Reader) ([]result, error) {
	var (
		results []result
		pkg     string
	)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "pkg: "); ok {
			pkg = name
			continue
		}
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		res := result{pkg: pkg, name: benchmarkName(fields[0]), metrics: map[string]float64{}}
		for pair := range slices.Chunk(fields[2:], 2) {
			value, err := strconv.ParseFloat(pair[0], 64)
			if err != nil {
				return results, fmt.Errorf("%s %s: %s: want number, got %q", pkg, fields[0], pair[1], pair[0])
			}
			res.metrics[pair[1]] = value
		}
		results = append(results, res)
	}
	return results, lines.Err()
}

// benchmarkName takes "Benchmark" and the number of processors off a name as go test prints it.
func benchmarkName(name string) string {
	name = strings.TrimPrefix(name, "Benchmark")
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			name = name[:i]
		}
	}
	return name
}

// columns are the units that have a column of their own, in order.
var columns = []struct {
	unit, title string
	format      func(float64) string
}{
	{"ns/op", "ours", duration},
	{"baseline-ns/op", "baseline", duration},
	{"x-faster", "x faster", ratio},
	{"floor-ns/op", "floor", duration},
	{"x-floor", "x floor", ratio},
	{"B/op", "bytes", count},
	{"allocs/op", "allocs", count},
}

// printTable prints results in the order given, a line with the package's name above those of each package.
func printTable(w io.Writer, results []result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	pkg := ""
	for _, res := range results {
		if res.pkg != pkg {
			pkg = res.pkg
			fmt.Fprintf(table, "\n%s", pkg)
			for _, column := range columns {
				fmt.Fprintf(table, "\t%s", column.title)
			}
			fmt.Fprintln(table, "\tother")
		}
		fmt.Fprintf(table, "  %s", res.name)
		others := maps.Clone(res.metrics)
		for _, column := range columns {
			cell := "-"
			if value, ok := res.metrics[column.unit]; ok {
				cell = column.format(value)
			}
			fmt.Fprintf(table, "\t%s", cell)
			delete(others, column.unit)
		}
		fmt.Fprint(table, "\t")
		for i, unit := range slices.Sorted(maps.Keys(others)) {
			if i > 0 {
				fmt.Fprint(table, ", ")
			}
			fmt.Fprintf(table, "%s %s", count(others[unit]), unit)
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// duration prints nanoseconds in a unit that a person can read, with three digits.
func duration(ns float64) string {
	switch {
	case ns >= float64(time.Second):
		return strconv.FormatFloat(ns/float64(time.Second), 'g', 3, 64) + "s"
	case ns >= float64(time.Millisecond):
		return strconv.FormatFloat(ns/float64(time.Millisecond), 'g', 3, 64) + "ms"
	case ns >= float64(time.Microsecond):
		return strconv.FormatFloat(ns/float64(time.Microsecond), 'g', 3, 64) + "µs"
	}
	return strconv.FormatFloat(ns, 'g', 3, 64) + "ns"
}

func ratio(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) + "x" }

// count prints whole numbers whole and others with two decimals.
func count(n float64) string {
	if n == float64(int64(n)) {
		return strconv.FormatInt(int64(n), 10)
	}
	return strconv.FormatFloat(n, 'f', 2, 64)
}
