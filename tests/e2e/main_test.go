package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/dragoman-io/dragoman/clusters"
)

// shared is the federation of all tests, set by TestMain before the first one runs.
var shared *clusters.Federation

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

// run starts the federation, runs the tests and stops the federation, also on Ctrl-C.
func run(m *testing.M) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	federation, err := clusters.Start(ctx, clusters.Options{Out: os.Stderr})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared = federation
	interrupted := context.AfterFunc(ctx, func() {
		fmt.Fprintln(os.Stderr, "interrupted, stopping the federation")
		if err := federation.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(130)
	})
	code := m.Run()
	if !interrupted() {
		select {} // The function above ends the process.
	}
	if err := federation.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
