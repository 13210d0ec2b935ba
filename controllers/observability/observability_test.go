package observability_test

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/observability"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// rules returns compiled rules of a kind: one that answers, one that fails, and one that never ends.
func rules(t *testing.T) *customizations.Set {
	t.Helper()
	engines, err := customizations.Engines(script.Limits{Steps: 10_000})
	require.NoError(t, err)
	object := &configv1alpha1.ResourceInterpreterCustomization{}
	object.Name = "widget"
	object.Spec.Target = configv1alpha1.CustomizationTarget{APIVersion: "example.com/v1", Kind: "Widget"}
	object.Spec.Customizations = configv1alpha1.CustomizationRules{
		ReplicaResource:      &configv1alpha1.Script{CELExpression: "object.spec.replicas"},
		HealthInterpretation: &configv1alpha1.Script{LuaScript: "function InterpretHealth(o)\n  return o.status.phase == 'Running'\nend"},
		StatusReflection:     &configv1alpha1.Script{LuaScript: "function ReflectStatus(o) while true do end end"},
	}
	return customizations.New(customizations.Options{Link: "customizations", Engines: engines}).With(customizations.Customization{Object: object})
}

func widget() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "namespace": "default"},
		"spec": map[string]any{"replicas": int64(2)},
	}}
}

func TestMetrics(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	metrics, err := observability.NewMetrics(registry)
	require.NoError(t, err)
	client := interpreter.Client{Interpreter: interpreter.Wrap(rules(t), metrics.Link("customizations"))}

	_, _, err = client.InterpretReplica(t.Context(), widget())
	require.NoError(t, err)
	_, err = client.InterpretHealth(t.Context(), widget())
	require.Error(t, err)
	_, err = client.InterpretStatus(t.Context(), widget())
	require.Error(t, err)

	assert.Equal(t, 3, testutil.CollectAndCount(registry, "dragoman_interpreter_answers_total"))
	families, err := registry.Gather()
	require.NoError(t, err)
	results := map[string]string{}
	runs := uint64(0)
	totals := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			switch family.GetName() {
			case "dragoman_interpreter_answers_total":
				results[labels["operation"]] = labels["result"]
			case "dragoman_script_steps":
				runs += m.GetHistogram().GetSampleCount()
			case "dragoman_interpreter_answer_seconds_total", "dragoman_script_steps_total", "dragoman_script_bytes_total":
				totals[family.GetName()+" "+labels["group"]+" "+labels["kind"]+" "+labels["operation"]] = m.GetCounter().GetValue()
			}
		}
	}
	assert.Equal(t, map[string]string{"InterpretReplica": "ok", "InterpretHealth": "error", "InterpretStatus": "over steps"}, results)
	assert.Equal(t, uint64(3), runs, "every run says what it cost")
	for _, operation := range []string{"InterpretReplica", "InterpretHealth", "InterpretStatus"} {
		for _, name := range []string{"dragoman_interpreter_answer_seconds_total", "dragoman_script_steps_total", "dragoman_script_bytes_total"} {
			assert.Positive(t, totals[name+" example.com Widget "+operation], "%s of %s", name, operation)
		}
	}
	assert.Greater(t, totals["dragoman_script_steps_total example.com Widget InterpretStatus"], 9000.0, "its whole budget")
}

// TestNextIsCountedOnce has a rule of one link ask the next one, whose links are measured, too.
func TestNextIsCountedOnce(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	metrics, err := observability.NewMetrics(registry)
	require.NoError(t, err)
	engines, err := customizations.Engines(script.Limits{})
	require.NoError(t, err)
	link := func(name, expression string) interpreter.Interpreter {
		object := &configv1alpha1.ResourceInterpreterCustomization{}
		object.Name = name
		object.Spec.Target = configv1alpha1.CustomizationTarget{APIVersion: "example.com/v1", Kind: "Widget"}
		object.Spec.Customizations.ReplicaResource = &configv1alpha1.Script{CELExpression: expression}
		set := customizations.New(customizations.Options{Link: name, Engines: engines}).With(customizations.Customization{Object: object})
		return interpreter.Wrap(set, metrics.Link(name))
	}
	client := interpreter.Client{Interpreter: interpreter.Chain{link("first", "next.replicas + 1"), link("second", "object.spec.replicas")}}
	replicas, _, err := client.InterpretReplica(t.Context(), widget())
	require.NoError(t, err)
	require.Equal(t, int32(3), replicas)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		switch family.GetName() {
		case "dragoman_script_steps", "dragoman_script_bytes":
			require.Len(t, family.GetMetric(), 1)
			assert.Equal(t, uint64(2), family.GetMetric()[0].GetHistogram().GetSampleCount(), "two scripts ran: %s", family.GetName())
		}
	}
}

func TestAnOuterTraceIsStillTold(t *testing.T) {
	metrics, err := observability.NewMetrics(prometheus.NewRegistry())
	require.NoError(t, err)
	client := interpreter.Client{Interpreter: interpreter.Wrap(rules(t), metrics.Link("customizations"))}
	var spent, answered int
	ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{
		Spent:    func(interpreter.Source, interpreter.Usage) { spent++ },
		Answered: func(interpreter.Source, error) { answered++ },
	})
	_, _, err = client.InterpretReplica(ctx, widget())
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1}, []int{spent, answered})
}

func TestTraced(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
	client := interpreter.Client{Interpreter: interpreter.Wrap(rules(t), observability.Traced(tracer, "customizations"))}
	_, err := client.InterpretHealth(t.Context(), widget())
	require.Error(t, err)
	require.Len(t, spans.Ended(), 1)
	assert.Equal(t, "InterpretHealth", spans.Ended()[0].Name())
	assert.Equal(t, "Error", spans.Ended()[0].Status().Code.String())
}

func TestFailures(t *testing.T) {
	var told []string
	watch := observability.Failures(func(customization string, o interpreter.Observation) {
		told = append(told, customization+" "+string(o.Request.Operation)+": "+o.Err.Error())
	})
	client := interpreter.Client{Interpreter: interpreter.Wrap(rules(t), watch)}
	_, err := client.InterpretHealth(t.Context(), widget())
	require.Error(t, err)
	_, err = client.InterpretStatus(t.Context(), widget())
	require.Error(t, err)
	_, _, err = client.InterpretReplica(t.Context(), widget())
	require.NoError(t, err)
	require.Len(t, told, 2, "what works is not told")
	assert.Contains(t, told[0], "widget InterpretHealth: ")
	assert.Contains(t, told[1], "widget InterpretStatus: ")
}

func TestOtherErrorsAreNobodysFault(t *testing.T) {
	watch := observability.Failures(func(string, interpreter.Observation) { t.Error("an error of no script was told") })
	rule := watch(func(context.Context, *interpreter.Request) (*interpreter.Response, error) {
		return nil, errors.New("the network is down")
	})
	_, err := rule(t.Context(), &interpreter.Request{Operation: interpreter.InterpretHealth, Object: widget()})
	require.Error(t, err)
}
