package observability

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Metrics counts and measures answers. It is safe for concurrent use.
type Metrics struct {
	answers *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	steps   *prometheus.HistogramVec
	bytes   *prometheus.HistogramVec
}

// NewMetrics registers the metrics of the interpreter with r.
func NewMetrics(r prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dragoman_interpreter_answers_total",
			Help: "Answered questions by link of the chain, kind, operation and result: ok, error, or the budget that ran out.",
		}, []string{"link", "group", "kind", "operation", "result"}),
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
	for _, c := range []prometheus.Collector{m.answers, m.seconds, m.steps, m.bytes} {
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
			operation := string(o.Request.Operation)
			m.answers.WithLabelValues(name, o.Request.Kind.Group, o.Request.Kind.Kind, operation, result(o.Err)).Inc()
			m.seconds.WithLabelValues(name, operation).Observe(o.Duration.Seconds())
		})(rule)
		return func(ctx context.Context, req *interpreter.Request) (*interpreter.Response, error) {
			return measured(m.spending(ctx, req.Operation), req)
		}
	}
}

// spending has the trace of ctx tell m what runs of scripts cost, besides what it tells already.
func (m *Metrics) spending(ctx context.Context, op interpreter.Operation) context.Context {
	trace := interpreter.Trace{}
	if outer := interpreter.TraceOf(ctx); outer != nil {
		trace = *outer
	}
	told := trace.Spent
	trace.Spent = func(s interpreter.Source, u interpreter.Usage) {
		m.steps.WithLabelValues(s.Language, string(op)).Observe(float64(u.Steps))
		m.bytes.WithLabelValues(s.Language, string(op)).Observe(float64(u.Bytes))
		if told != nil {
			told(s, u)
		}
	}
	return interpreter.WithTrace(ctx, &trace)
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
