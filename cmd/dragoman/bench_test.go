package main

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkProcess is one interpret of one file, the whole process. The baseline is kubectl saying its version, where
// there is a kubectl; the floor is this program saying its own.
func BenchmarkProcess(b *testing.B) {
	object, err := filepath.Abs("../../examples/flink/basic.yaml")
	require.NoError(b, err)
	dragoman := filepath.Join(bin, "dragoman")
	run := func(name string, args ...string) time.Duration {
		start := time.Now()
		out, err := exec.CommandContext(b.Context(), name, args...).CombinedOutput() //nolint:gosec // commands of this test
		require.NoError(b, err, string(out))
		return time.Since(start)
	}
	kubectl, err := exec.LookPath("kubectl")
	hasBaseline := err == nil
	var ours, floor, baseline time.Duration
	for b.Loop() {
		ours += run(dragoman, "interpret", object)
		floor += run(dragoman, "version")
		if hasBaseline {
			baseline += run(kubectl, "version", "--client")
		}
	}
	n := float64(b.N)
	b.ReportMetric(float64(ours)/n, "ns/op")
	b.ReportMetric(float64(floor)/n, "floor-ns/op")
	b.ReportMetric(float64(ours)/float64(floor), "x-floor")
	if hasBaseline {
		b.ReportMetric(float64(baseline)/n, "baseline-ns/op")
		b.ReportMetric(float64(baseline)/float64(ours), "x-faster")
	}
}
