package main

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/dragoman-io/dragoman/webhook"
)

// serveMetrics counts what serve answers.
type serveMetrics struct {
	registry *prometheus.Registry
	answers  *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newServeMetrics() *serveMetrics {
	m := &serveMetrics{
		registry: prometheus.NewRegistry(),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dragoman_webhook_answers_total",
			Help: "Answered questions by operation and by the code of the answer; the operation is empty when it was not known.",
		}, []string{"operation", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "dragoman_webhook_answer_seconds",
			Help:    "Time from the arrival of a question to its answer, by operation.",
			Buckets: prometheus.ExponentialBuckets(50e-6, 4, 9),
		}, []string{"operation"}),
	}
	m.registry.MustRegister(m.answers, m.seconds, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// observe counts one answer.
func (m *serveMetrics) observe(a webhook.Answer) {
	operation := ""
	if a.Request.Operation.Info() != nil { // what clients make up would be a label each
		operation = string(a.Request.Operation)
	}
	code := http.StatusOK
	if a.Status != nil {
		code = int(a.Status.Code)
	}
	m.answers.WithLabelValues(operation, strconv.Itoa(code)).Inc()
	m.seconds.WithLabelValues(operation).Observe(a.Duration.Seconds())
}

func (m *serveMetrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
