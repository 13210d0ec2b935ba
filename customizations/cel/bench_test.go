package cel_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	celgo "github.com/google/cel-go/cel"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	k8s "k8s.io/apiserver/pkg/cel/library"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// flinkDeployment is an object as the operator's users write it, with the status that the operator gives it.
const flinkDeployment = `{
	"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
	"metadata": {"name": "basic", "namespace": "default", "generation": 2, "labels": {"app": "basic"}, "uid": "8f5d1c44-6f1c-4f5e-8a55-0d7c0e5b1f11"},
	"spec": {
		"image": "flink:2.2", "flinkVersion": "v2_2", "serviceAccount": "flink",
		"flinkConfiguration": {"taskmanager.numberOfTaskSlots": "2", "state.savepoints.dir": "file:///flink-data/savepoints"},
		"podTemplate": {"spec": {"nodeSelector": {"disk": "ssd"}, "containers": [{"name": "flink-main-container", "volumeMounts": [{"mountPath": "/flink-data", "name": "flink-volume"}]}]}},
		"jobManager": {"replicas": 1, "resource": {"cpu": 1, "memory": "1024m"}},
		"taskManager": {"replicas": 2, "resource": {"cpu": 2, "memory": "2048m"}},
		"job": {"jarURI": "local:///opt/flink/examples/streaming/StateMachineExample.jar", "parallelism": 2, "upgradeMode": "stateless", "state": "running"}},
	"status": {
		"observedGeneration": 2, "jobManagerDeploymentStatus": "READY", "lifecycleState": "STABLE", "error": "",
		"clusterInfo": {"flink-revision": "b6d20ed", "flink-version": "2.2", "total-cpu": "5.0", "total-memory": "5368709120"},
		"jobStatus": {"jobId": "a6d2c1f5e9b34d5aa1b6f4b0f1d0a7e2", "jobName": "State machine job", "startTime": "1744789000000", "state": "RUNNING", "updateTime": "1744789100000"},
		"reconciliationStatus": {"lastReconciledSpec": "{}", "reconciliationTimestamp": 1744789000000, "state": "DEPLOYED"},
		"taskManager": {"labelSelector": "component=taskmanager,app=basic", "replicas": 2}}}`

const (
	healthRule = `object.?status.observedGeneration.orValue(0) == object.metadata.generation &&
		object.status.jobManagerDeploymentStatus == "READY" && object.status.lifecycleState == "STABLE" &&
		object.status.jobStatus.state in ["RUNNING", "FINISHED"]`
	componentsRule = `[
		{
			"name": "jobmanager",
			"replicas": object.spec.jobManager.?replicas.orValue(1),
			"replicaRequirements": {"resourceRequest": {
				"cpu": object.spec.jobManager.resource.cpu, "memory": object.spec.jobManager.resource.memory
			}}
		},
		{
			"name": "taskmanager",
			"replicas": object.spec.taskManager.?replicas.orValue(1),
			"replicaRequirements": {"resourceRequest": {
				"cpu": object.spec.taskManager.resource.cpu, "memory": object.spec.taskManager.resource.memory
			}}
		}
	]`
	aggregationRule = `{"status": {
		"jobStatus": items.filter(i, has(i.status)).map(i, i.status.?jobStatus.orValue({}))[0],
		"observedGeneration": object.metadata.generation
	}}`
	revisionRule = `{"spec": {"taskManager": {"replicas": replicas}}}`
)

func flinkRequest(b testing.TB, op interpreter.Operation) *interpreter.Request {
	b.Helper()
	req := &interpreter.Request{Operation: op, Object: &unstructured.Unstructured{}, DesiredReplicas: 4}
	require.NoError(b, utiljson.Unmarshal([]byte(flinkDeployment), &req.Object.Object))
	if op == interpreter.AggregateStatus {
		status, _, err := unstructured.NestedMap(req.Object.Object, "status")
		require.NoError(b, err)
		req.AggregatedStatus = []interpreter.StatusItem{{ClusterName: "m1", Status: status}, {ClusterName: "m2", Status: status}}
	}
	require.NoError(b, req.Complete())
	return req
}

// BenchmarkRule compares a rule, with its limits in force, with the naive use of cel-go (compiled once; cost tracking with
// a limit, interruptible; the result by way of JSON) and with Go written by hand for the one purpose.
func BenchmarkRule(b *testing.B) {
	for _, bc := range []struct {
		name string
		op   interpreter.Operation
		text string
		hand func(*interpreter.Request) (*interpreter.Response, error)
	}{
		{"health", interpreter.InterpretHealth, healthRule, handHealth},
		{"components", interpreter.InterpretComponent, componentsRule, handComponents},
		{"revision", interpreter.ReviseReplica, revisionRule, handRevision},
		{"aggregation", interpreter.AggregateStatus, aggregationRule, handAggregation},
	} {
		b.Run(bc.name, func(b *testing.B) {
			req := flinkRequest(b, bc.op)
			rule := compile(b, newEngine(b, script.Limits{}), bc.op, bc.text)
			naive := naiveRule(b, bc.op, bc.text)
			want, err := bc.hand(req)
			require.NoError(b, err)
			ours := func() error {
				_, err := rule(b.Context(), req)
				return err
			}
			got, err := rule(b.Context(), req)
			require.NoError(b, err)
			require.Equal(b, encodeResponse(b, bc.op, want), encodeResponse(b, bc.op, got), "the two do not do the same")

			best := fastest(b, ours, func() error { return naive(req) }, func() error {
				_, err := bc.hand(req)
				return err
			})
			b.ReportAllocs()
			for b.Loop() {
				if err := ours(); err != nil {
					b.Fatal(err)
				}
			}
			report(b, best[0], best[1], best[2])
		})
	}
}

// BenchmarkCompile compares evaluating a compiled rule with compiling it for each call, as engines do that do not keep
// what they compile.
func BenchmarkCompile(b *testing.B) {
	engine := newEngine(b, script.Limits{})
	req := flinkRequest(b, interpreter.InterpretHealth)
	rule := compile(b, engine, interpreter.InterpretHealth, healthRule)
	best := fastest(b, func() error {
		_, err := rule(b.Context(), req)
		return err
	}, func() error {
		rule, _, err := engine.Compile(source(interpreter.InterpretHealth, healthRule))
		if err == nil {
			_, err = rule(b.Context(), req)
		}
		return err
	}, func() error {
		_, err := handHealth(req)
		return err
	})
	for b.Loop() {
		if _, _, err := engine.Compile(source(interpreter.InterpretHealth, healthRule)); err != nil {
			b.Fatal(err)
		}
	}
	report(b, best[0], best[1], best[2])
}

// fastest returns the time of one call of each function: the least of several measurements, taken in turns, since others
// use the machine too.
func fastest(b *testing.B, functions ...func() error) []time.Duration {
	b.Helper()
	const measurements, calls = 60, 200
	best := make([]time.Duration, len(functions))
	for range measurements {
		for i, f := range functions {
			start := time.Now()
			for range calls {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
			if d := time.Since(start) / calls; best[i] == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	return best
}

func report(b *testing.B, own, baseline, floor time.Duration) {
	b.Helper()
	b.ReportMetric(float64(own.Nanoseconds()), "own-ns/op")
	b.ReportMetric(float64(baseline.Nanoseconds()), "baseline-ns/op")
	b.ReportMetric(float64(baseline)/float64(own), "x-faster")
	b.ReportMetric(float64(floor.Nanoseconds()), "floor-ns/op")
	b.ReportMetric(float64(own)/float64(floor), "x-floor")
}

func encodeResponse(b testing.TB, op interpreter.Operation, resp *interpreter.Response) string {
	b.Helper()
	plain, err := script.Encode(op, resp)
	require.NoError(b, err)
	data, err := json.Marshal(plain)
	require.NoError(b, err)
	return string(data)
}

// naiveRule is a rule as cel-go's documentation leads to it.
func naiveRule(b *testing.B, op interpreter.Operation, text string) func(*interpreter.Request) error {
	b.Helper()
	options := cel.Options(nil)
	for _, in := range op.Info().Inputs {
		options = append(options, celgo.Variable(string(in), celgo.DynType))
	}
	env, err := celgo.NewEnv(options...)
	require.NoError(b, err)
	checked, issues := env.Compile(text)
	require.NoError(b, issues.Err())
	program, err := env.Program(checked,
		celgo.EvalOptions(celgo.OptOptimize, celgo.OptTrackCost), celgo.CostLimit(1_000_000),
		celgo.CostTracking(&k8s.CostEstimator{}), celgo.InterruptCheckFrequency(100),
	)
	require.NoError(b, err)
	return func(req *interpreter.Request) error {
		input := map[string]any{}
		for _, in := range op.Info().Inputs {
			input[string(in)] = script.EncodeInput(req, in)
		}
		value, _, err := program.ContextEval(b.Context(), input)
		if err != nil {
			return err
		}
		native, err := value.ConvertToNative(reflect.TypeFor[*structpb.Value]())
		if err != nil {
			return err
		}
		data, err := native.(*structpb.Value).MarshalJSON()
		if err != nil {
			return err
		}
		var plain any
		if err := utiljson.Unmarshal(data, &plain); err != nil {
			return err
		}
		if op.Info().Result == interpreter.ResultObject {
			object := req.Object.DeepCopy()
			merge(object.Object, plain.(map[string]any))
			plain = object.Object
		}
		_, err = script.Decode(req, plain)
		return err
	}
}

func merge(target, patch map[string]any) {
	for key, value := range patch {
		inner, isMap := target[key].(map[string]any)
		if change, ok := value.(map[string]any); ok && isMap {
			merge(inner, change)
		} else {
			target[key] = value
		}
	}
}

// field returns the value at a path; what is not there is nil.
func field(object map[string]any, path ...string) any {
	var at any = object
	for _, name := range path {
		m, _ := at.(map[string]any)
		at = m[name]
	}
	return at
}

func handHealth(req *interpreter.Request) (*interpreter.Response, error) {
	object := req.Object.Object
	healthy := field(object, "status", "observedGeneration") == field(object, "metadata", "generation") &&
		field(object, "status", "jobManagerDeploymentStatus") == "READY" && field(object, "status", "lifecycleState") == "STABLE"
	state, _ := field(object, "status", "jobStatus", "state").(string)
	return &interpreter.Response{Health: interpreter.HealthOf(healthy && (state == "RUNNING" || state == "FINISHED"))}, nil
}

func handComponents(req *interpreter.Request) (*interpreter.Response, error) {
	out := make([]workv1alpha2.Component, 0, 2)
	for _, role := range []struct{ field, name string }{{"jobManager", "jobmanager"}, {"taskManager", "taskmanager"}} {
		spec, _ := field(req.Object.Object, "spec", role.field).(map[string]any)
		cpu, _ := field(spec, "resource", "cpu").(int64)
		memory, _ := field(spec, "resource", "memory").(string)
		quantity, err := resource.ParseQuantity(memory)
		if err != nil {
			return nil, err
		}
		replicas, ok := spec["replicas"].(int64)
		if !ok {
			replicas = 1
		}
		out = append(out, workv1alpha2.Component{
			Name: role.name, Replicas: int32(replicas), //nolint:gosec // a benchmark's
			ReplicaRequirements: &workv1alpha2.ComponentReplicaRequirements{ResourceRequest: corev1.ResourceList{
				corev1.ResourceCPU: *resource.NewQuantity(cpu, resource.DecimalSI), corev1.ResourceMemory: quantity,
			}},
		})
	}
	return &interpreter.Response{Components: out}, nil
}

func handRevision(req *interpreter.Request) (*interpreter.Response, error) {
	object := req.Object.DeepCopy()
	err := unstructured.SetNestedField(object.Object, int64(req.DesiredReplicas), "spec", "taskManager", "replicas")
	return &interpreter.Response{Object: object}, err
}

func handAggregation(req *interpreter.Request) (*interpreter.Response, error) {
	object := req.Object.DeepCopy()
	for _, item := range req.AggregatedStatus {
		if item.Status == nil {
			continue
		}
		job, _ := item.Status["jobStatus"].(map[string]any)
		if err := unstructured.SetNestedMap(object.Object, job, "status", "jobStatus"); err != nil {
			return nil, err
		}
		break
	}
	err := unstructured.SetNestedField(object.Object, field(object.Object, "metadata", "generation"), "status", "observedGeneration")
	return &interpreter.Response{Object: object}, err
}
