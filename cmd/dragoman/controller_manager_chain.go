package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/controllers/informers"
	"github.com/dragoman-io/dragoman/controllers/members"
	"github.com/dragoman-io/dragoman/controllers/observability"
	"github.com/dragoman-io/dragoman/controllers/rules"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/thirdparty"
	"github.com/dragoman-io/dragoman/webhook"
)

// observed returns the chain of the controllers, with metrics and traces, and with word to the live rules of those that
// fail. The function ends the export of traces.
func (o *managerOptions) observed(ctx context.Context, live *rules.Rules, catalogue *thirdparty.Catalogue) (interpreter.Interpreter, func(), error) {
	measured, err := observability.NewMetrics(metrics.Registry)
	if err != nil {
		return nil, nil, err
	}
	tracer, stop, err := o.tracer(ctx)
	if err != nil {
		return nil, nil, err
	}
	link := func(name string, i interpreter.Interpreter, more ...interpreter.Middleware) interpreter.Interpreter {
		middleware := append([]interpreter.Middleware{measured.Link(name)}, more...)
		if tracer != nil {
			middleware = append(middleware, observability.Traced(tracer, name))
		}
		return interpreter.Wrap(i, middleware...)
	}
	chain := interpreter.Chain{
		link("rules", live, observability.Failures(live.Failed)),
		link("thirdparty", catalogue),
		link("builtin", builtin.Interpreter{}),
		link("generic", builtin.Generic{}),
	}
	return interpreter.Wrap(chain, interpreter.Validated), stop, nil
}

// sizesOf returns what metrics tell about how much the process keeps.
func sizesOf(live *rules.Rules, catalogue *thirdparty.Catalogue, held *informers.Informers, connected *members.Members) observability.Sizes {
	return observability.Sizes{
		Rules: func() map[string]customizations.Stats {
			stats := map[string]customizations.Stats{thirdparty.Link: catalogue.Stats()}
			if set := live.Customizations(); set != nil {
				stats[customizationsLink] = set.Stats()
			}
			return stats
		},
		Webhooks: func() []webhook.EndpointStats {
			set := live.Webhooks()
			if set == nil {
				return nil
			}
			return set.Endpoints()
		},
		Objects: func() map[string]map[schema.GroupVersionKind]int {
			objects := connected.Objects()
			objects["control-plane"] = held.Objects()
			return objects
		},
	}
}

// tracer returns where spans go; nil when nowhere.
func (o *managerOptions) tracer(ctx context.Context) (trace.Tracer, func(), error) {
	if o.tracingEndpoint == "" {
		return nil, func() {}, nil
	}
	if _, _, err := net.SplitHostPort(o.tracingEndpoint); err != nil {
		return nil, nil, fmt.Errorf("--tracing-endpoint: want HOST:PORT, such as collector:4317, got %q", o.tracingEndpoint)
	}
	// A collector that does not answer is told of in the log as it is configured.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { ctrl.LoggerFrom(ctx).Error(err, "traces are lost") }))
	options := []otlptracegrpc.Option{otlptracegrpc.WithEndpoint(o.tracingEndpoint)}
	if o.tracingInsecure {
		options = append(options, otlptracegrpc.WithInsecure())
	}
	exporter, err := otlptracegrpc.New(ctx, options...)
	if err != nil {
		return nil, nil, fmt.Errorf("--tracing-endpoint: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(resource.NewSchemaless(semconv.ServiceName("dragoman-controller-manager"))))
	stop := func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := provider.Shutdown(ending); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "the last traces are lost")
		}
	}
	return provider.Tracer("github.com/dragoman-io/dragoman"), stop, nil
}
