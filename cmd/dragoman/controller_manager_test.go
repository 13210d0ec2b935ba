package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func TestTracingEndpoint(t *testing.T) {
	for _, endpoint := range []string{"collector", "http://collector:4317", "a:b:c"} {
		_, _, err := (&managerOptions{tracingEndpoint: endpoint}).tracer(t.Context())
		require.ErrorContains(t, err, "--tracing-endpoint: want HOST:PORT")
	}
	tracer, stop, err := (&managerOptions{}).tracer(t.Context())
	require.NoError(t, err)
	assert.Nil(t, tracer, "nobody asked for traces")
	stop()
}

// TestLostTracesAreLogged has what the exporter complains of in the log, where other programs expect it.
func TestLostTracesAreLogged(t *testing.T) {
	var lines []string
	ctx, cancel := context.WithCancel(log.IntoContext(t.Context(), funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})))
	defer cancel()
	_, stop, err := (&managerOptions{tracingEndpoint: "127.0.0.1:1", tracingInsecure: true}).tracer(ctx)
	require.NoError(t, err)
	defer stop()
	otel.Handle(errors.New("nobody listens"))
	assert.Contains(t, strings.Join(lines, "\n"), "nobody listens")
}
