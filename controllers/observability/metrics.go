package observability

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Metrics counts and measures answers. It is safe for concurrent use. How long answers take and what scripts spend is
// told as totals for each kind, and as distributions for all kinds together: those have many series.
type Metrics struct {
	answers, secondsByKind   *prometheus.CounterVec
	stepsByKind, bytesByKind *prometheus.CounterVec
	seconds, steps, bytes    *prometheus.HistogramVec
}

// NewMetrics registers the metrics of the interpreter with r.
func NewMetrics(r prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dragoman_interpreter_answers_total",
			Help: "Answered questions by link of the chain, kind, operation and result: ok, error, or the budget that ran out.",
		}, []string{"link", "group", "kind", "operation", "result"}),
		secondsByKind: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dragoman_interpreter_answer_seconds_total", Help: "Time that answers took by link of the chain, kind and operation.",
		}, []string{"link", "group", "kind", "operation"}),
		stepsByKind: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dragoman_script_steps_total", Help: "Steps that runs of scripts took by kind and operation.",
		}, []string{"language", "group", "kind", "operation"}),
		bytesByKind: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dragoman_script_bytes_total", Help: "Memory that runs of scripts allocated by kind and operation.",
		}, []string{"language", "group", "kind", "operation"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dragoman_interpreter_answer_seconds", Help: "Time to an answer by link of the chain and operation.",
			Buckets: prometheus.ExponentialBuckets(1e-6, 4, 12),
		}, []string{"link", "operation"}),
		steps: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dragoman_script_steps", Help: "Steps that runs of scripts took, of the 1000000 that they may: instructions of Lua, cost units of CEL.",
			Buckets: prometheus.ExponentialBuckets(16, 4, 9),
		}, []string{"language", "operation"}),
		bytes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dragoman_script_bytes", Help: "Memory that runs of scripts allocated, of the 16 MiB that they may.",
			Buckets: prometheus.ExponentialBuckets(256, 4, 9),
		}, []string{"language", "operation"}),
	}
	for _, c := range []prometheus.Collector{m.answers, m.secondsByKind, m.stepsByKind, m.bytesByKind, m.seconds, m.steps, m.bytes} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Link returns the Middleware that measures the answers of a link of the chain. Questions that it declines do not
// count.
func (m *Metrics) Link(name string) interpreter.Middleware {
	return func(rule interpreter.Rule) interpreter.Rule {
		measured := interpreter.Observed(func(_ context.Context, o interpreter.Observation) {
			if !o.Handled() {
				return
			}
			kind, operation, seconds := o.Request.Kind, string(o.Request.Operation), o.Duration.Seconds()
			m.answers.WithLabelValues(name, kind.Group, kind.Kind, operation, result(o.Err)).Inc()
			m.secondsByKind.WithLabelValues(name, kind.Group, kind.Kind, operation).Add(seconds)
			m.seconds.WithLabelValues(name, operation).Observe(seconds)
		})(rule)
		return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
			return measured(m.spending(ctx, req), req)
		}
	}
}

// spending has the trace of ctx tell m what runs of scripts cost, besides what it tells already. A link that a rule of this one
// asks has the context of the caller (interpreter.Next), and tells by itself.
func (m *Metrics) spending(ctx context.Context, req *interpreter.Request) context.Context {
	kind, operation := req.Kind, string(req.Operation)
	return interpreter.WithTrace(ctx, interpreter.JoinTraces(interpreter.TraceOf(ctx), &interpreter.Trace{
		Spent: func(s interpreter.Source, u interpreter.Usage) {
			steps, bytes := float64(u.Steps), float64(u.Bytes)
			m.stepsByKind.WithLabelValues(s.Language, kind.Group, kind.Kind, operation).Add(steps)
			m.bytesByKind.WithLabelValues(s.Language, kind.Group, kind.Kind, operation).Add(bytes)
			m.steps.WithLabelValues(s.Language, operation).Observe(steps)
			m.bytes.WithLabelValues(s.Language, operation).Observe(bytes)
		},
	}))
}

func result(err error) string {
	var budget *interpreter.BudgetError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &budget):
		return "over " + string(budget.Budget)
	case errors.Is(err, interpreter.ErrNotReady):
		return "not ready"
	default:
		return "error"
	}
}
