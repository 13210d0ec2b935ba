// Package observability makes the interpreter's work visible: metrics for Prometheus by kind, operation and link of the
// chain, spans for OpenTelemetry, and events on the customizations whose rules fail.
package observability
