package observability

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Traced returns the Middleware that makes a span of every answer of a link of the chain.
func Traced(tracer trace.Tracer, link string) interpreter.Middleware {
	return func(rule interpreter.Rule) interpreter.Rule {
		return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
			ctx, span := tracer.Start(ctx, string(req.Operation), trace.WithAttributes(
				attribute.String("dragoman.link", link),
				attribute.String("k8s.group", req.Kind.Group), attribute.String("k8s.version", req.Kind.Version), attribute.String("k8s.kind", req.Kind.Kind),
				attribute.String("k8s.namespace", req.Namespace), attribute.String("k8s.name", req.Name),
			))
			defer span.End()
			resp, err := rule(ctx, req)
			switch {
			case errors.Is(err, interpreter.ErrNotHandled):
				span.SetAttributes(attribute.Bool("dragoman.handled", false))
			case err != nil:
				span.RecordError(err)
				span.SetStatus(codes.Error, err.Error())
			}
			return resp, err
		}
	}
}
