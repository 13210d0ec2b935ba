package cases

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/manifest"
)

// decoded returns the plain value of YAML.
func decoded(t *testing.T, text string) any {
	t.Helper()
	documents := manifest.Split("test", []byte(text))
	require.Len(t, documents, 1)
	v, err := documents[0].Decode()
	require.NoError(t, err)
	return v
}

func TestCompare(t *testing.T) {
	const (
		replica    = interpreter.InterpretReplica
		components = interpreter.InterpretComponent
		status     = interpreter.InterpretStatus
		health     = interpreter.InterpretHealth
		references = interpreter.InterpretDependency
	)
	for _, tc := range []struct {
		reason    string
		op        interpreter.Operation
		lenient   bool
		want, got string
		diffs     []string
	}{
		{
			reason: "equal numbers are equal however they are written",
			op:     status, want: `{status: {a: 1.0, b: 9007199254740993, c: 0.5}}`, got: `{status: {a: 1, b: 9007199254740993, c: 5e-1}}`,
		},
		{
			reason: "integers that a float would confuse are different",
			op:     status, want: `{status: {a: 9007199254740993}}`, got: `{status: {a: 9007199254740992}}`,
			diffs: []string{"status.a  want 9007199254740993  got 9007199254740992"},
		},
		{
			reason: "a number is not its text",
			op:     status, want: `{status: {a: 1}}`, got: `{status: {a: "1"}}`,
			diffs: []string{`status.a  want 1  got "1"`},
		},
		{
			reason: "every difference is named, at its field, in order",
			op:     status, want: `{status: {b: {c: [1, 2, 3]}, "x.y": 1}}`, got: `{status: {a: 0, b: {c: [1, 5]}}}`,
			diffs: []string{
				"status.a  want absent  got 0", "status.b.c[1]  want 2  got 5", "status.b.c[2]  want 3  got absent",
				`status["x.y"]  want 1  got absent`,
			},
		},
		{
			reason: "quantities are equal by value",
			op:     replica, want: `{replica: 1, requires: {resourceRequest: {cpu: 1, memory: 1Gi}}}`,
			got: `{replica: 1, requires: {resourceRequest: {cpu: 1000m, memory: 1024Mi}}}`,
		},
		{
			reason: "elsewhere a text that could be a quantity is a text",
			op:     status, want: `{status: {cpu: 1}}`, got: `{status: {cpu: 1000m}}`,
			diffs: []string{`status.cpu  want 1  got "1000m"`},
		},
		{
			reason: "another amount is a difference",
			op:     replica, want: `{replica: 1, requires: {resourceRequest: {cpu: 2}}}`, got: `{replica: 1, requires: {resourceRequest: {cpu: 1000m}}}`,
			diffs: []string{`requires.resourceRequest.cpu  want 2  got "1000m"`},
		},
		{
			reason: "an amount that takes forever to read is no amount",
			op:     status, want: `{status: {size: {$quantity: 1Gi}}}`, got: `{status: {size: "1e-1000000000"}}`,
			diffs: []string{`status.size  want an amount of 1Gi  got "1e-1000000000"`},
		},
		{
			reason: "an excluded field may be anything, absent too",
			op:     status, want: `{status: {a: "{{EXCLUDE}}", b: "{{EXCLUDE}}"}}`, got: `{status: {a: {c: 1}}}`,
		},
		{
			reason: "a whole result can be excluded",
			op:     replica, want: `{replica: "{{EXCLUDE}}"}`, got: `{replica: 3}`,
		},
		{
			reason: "a list that goes by name can be excluded, too",
			op:     components, want: `{components: "{{EXCLUDE}}"}`, got: `{components: [{name: a, replicas: 1}]}`,
		},
		{
			reason: "strictly, null, empty and absent differ",
			op:     status, want: `{status: {a: null, b: {}, c: []}}`, got: `{status: {a: {}, b: []}}`,
			diffs: []string{"status.a  want null  got {}", "status.b  want {}  got []", "status.c  want []  got absent"},
		},
		{
			reason: "leniently, null, empty and absent are one",
			op:     status, lenient: true, want: `{status: {a: null, b: {}, c: []}}`, got: `{status: {a: {}, b: [], d: {e: {f: []}}}}`,
		},
		{
			reason: "leniently, an empty text is not absent",
			op:     status, lenient: true, want: `{status: {}}`, got: `{status: {a: ""}}`,
			diffs: []string{`status.a  want absent  got ""`},
		},
		{
			reason: "strictly, a result that is not listed is a difference",
			op:     replica, want: `{replica: 1}`, got: `{replica: 1, requires: {namespace: a}}`,
			diffs: []string{`requires  want absent  got {"namespace":"a"}`},
		},
		{
			reason: "strictly, no requirement needs no mention",
			op:     replica, want: `{replica: 1}`, got: `{replica: 1, requires: null}`,
		},
		{
			reason: "leniently, results that are not listed are ignored",
			op:     replica, lenient: true, want: `{replica: 1}`, got: `{replica: 1, requires: {namespace: a}}`,
		},
		{
			reason: "components go by name",
			op:     components, want: `{components: [{name: a, replicas: 1}, {name: b, replicas: 2}]}`,
			got:   `{components: [{name: b, replicas: 3}, {name: a, replicas: 1}, {name: c, replicas: 0}]}`,
			diffs: []string{"components[b].replicas  want 2  got 3", `components[c]  want absent  got {"name":"c","replicas":0}`},
		},
		{
			reason: "no components is an empty list, and null",
			op:     components, want: `{components: null}`, got: `{components: []}`,
		},
		{
			reason: "dependencies are a set",
			op:     references,
			want:   `{dependencies: [{apiVersion: v1, kind: Secret, namespace: ns, name: b}, {apiVersion: v1, kind: Secret, namespace: ns, name: a}]}`,
			got:    `{dependencies: [{apiVersion: v1, kind: Secret, namespace: ns, name: a}, {apiVersion: v1, kind: Secret, namespace: ns, name: c}]}`,
			diffs: []string{
				`dependencies[v1 Secret ns/b]  want {"apiVersion":"v1","kind":"Secret","name":"b","namespace":"ns"}  got absent`,
				`dependencies[v1 Secret ns/c]  want absent  got {"apiVersion":"v1","kind":"Secret","name":"c","namespace":"ns"}`,
			},
		},
		{
			reason: "two references of one name are two",
			op:     references,
			want:   `{dependencies: [{apiVersion: v1, kind: Secret, name: a}, {apiVersion: v1, kind: Secret, name: a}]}`,
			got:    `{dependencies: [{apiVersion: v1, kind: Secret, name: a}]}`,
			diffs:  []string{`dependencies[v1 Secret a]  want {"apiVersion":"v1","kind":"Secret","name":"a"}  got absent`},
		},
		{reason: "a plain yes has a state too", op: health, want: `{health: Healthy}`, got: `{healthy: true}`},
		{
			reason: "strictly, a state that says more than no must be named",
			op:     health, want: `{healthy: false}`, got: `{healthy: false, health: Progressing}`,
			diffs: []string{`health  want absent  got "Progressing"`},
		},
		{
			reason: "a message must be named, and may be expected empty",
			op:     health, want: `{healthy: true, message: ""}`, got: `{healthy: true}`,
		},
		{
			reason: "matchers say less than values",
			op:     status,
			want: `{status: {$partial: {phase: {$regex: "^Run"}, at: {$any: true}, gone: {$absent: true}, size: {$quantity: 1Gi},
				list: {$unordered: [3, {a: 1}, 1]}, deep: {a: {b: 1}}}}}`,
			got: `{status: {phase: Running, at: null, size: 1024Mi, list: [1, 3, {a: 1, more: 2}], deep: {a: {b: 1, c: 2}, d: 3}, other: 1}}`,
		},
		{
			reason: "matchers that do not hold say what they want",
			op:     status,
			want:   `{status: {phase: {$regex: "^Run"}, at: {$any: true}, gone: {$absent: true}, size: {$quantity: 1Gi}, list: {$unordered: [1, 2]}, part: {$partial: {a: 1}}}}`,
			got:    `{status: {phase: Failed, gone: 1, size: 1000Mi, list: [2, 3], part: [1]}}`,
			diffs: []string{
				"status.at  want anything  got absent", "status.gone  want absent  got 1", "status.list[1]  want 1  got absent",
				"status.list[3]  want absent  got 3", `status.part  want {"a":1}  got [1]`,
				`status.phase  want a match of ^Run  got "Failed"`, `status.size  want an amount of 1Gi  got "1000Mi"`,
			},
		},
		{
			reason: "beside a partial match everything counts",
			op:     status, want: `{status: {a: {$partial: {x: 1}}, b: {x: 1}}}`, got: `{status: {a: {x: 1, z: 2}, b: {x: 1, z: 2}}}`,
			diffs: []string{"status.b.z  want absent  got 2"},
		},
		{
			reason: "in recorded cases a dollar sign is a dollar sign",
			op:     status, lenient: true, want: `{status: {a: {$any: true}}}`, got: `{status: {a: {$any: true}}}`,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			want, _ := decoded(t, tc.want).(map[string]any)
			got, _ := decoded(t, tc.got).(map[string]any)
			var outputs []Output
			for _, name := range tc.op.Info().Outputs {
				if v, ok := got[name]; ok {
					outputs = append(outputs, Output{Name: name, Value: v})
				}
			}
			c := comparison{lenient: tc.lenient, matchers: !tc.lenient}
			c.outputs(tc.op.Info(), want, outputs)
			var diffs []string
			for _, d := range c.diffs {
				diffs = append(diffs, d.String())
			}
			assert.Equal(t, tc.diffs, diffs)
		})
	}
}

// TestEqualScalars holds what files cannot say: answers may have whole numbers as floats.
func TestEqualScalars(t *testing.T) {
	const beyond = int64(1<<53 + 1)
	assert.True(t, equalScalars(int64(1), 1.0))
	assert.True(t, equalScalars(1.0, int64(1)))
	assert.False(t, equalScalars(int64(1), 1.5))
	assert.False(t, equalScalars(beyond, float64(beyond)), "the float is another number")
	assert.False(t, equalScalars(int64(1), "1"))
	assert.False(t, equalScalars(true, "true"))
	assert.False(t, equalScalars(nil, map[string]any{}))
}
