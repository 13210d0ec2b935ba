package main

import (
	"fmt"
	"io"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// logging is how a server logs.
type logging struct {
	format    string
	verbosity int
}

func (l *logging) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.format, "logging-format", "text", "how logs are written: text, or json for one object a line")
	f.IntVarP(&l.verbosity, "v", "v", 0, "how much is logged; more with a higher number")
	registerCompletion(cmd, "logging-format", []string{"text", "json"})
}

// logger returns a logger that writes to out. What Kubernetes' libraries log goes the same way.
func (l *logging) logger(out io.Writer) (logr.Logger, error) {
	options := []zap.Opts{
		zap.WriteTo(out), zap.Level(zapcore.Level(-l.verbosity)), zap.StacktraceLevel(zapcore.PanicLevel), //nolint:gosec // a handful of levels
	}
	times := func(c *zapcore.EncoderConfig) { c.EncodeTime = zapcore.RFC3339NanoTimeEncoder }
	switch l.format {
	case "json":
		options = append(options, zap.JSONEncoder(times))
	case "text":
		options = append(options, zap.ConsoleEncoder(times))
	default:
		return logr.Logger{}, fmt.Errorf("--logging-format: want text or json, got %q", l.format)
	}
	logger := zap.New(options...).WithName("dragoman") // every line names its logger
	klog.SetLogger(logger.WithName("kubernetes"))
	return logger, nil
}
