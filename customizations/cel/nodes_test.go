package cel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

func TestNodes(t *testing.T) {
	engine := newEngine(t, script.Limits{})
	for _, tc := range []struct {
		reason, text string
		want         []string
	}{
		{"fields and operators", `object.spec.replicas == 1 + 2`, []string{
			`1:22 object.spec.replicas == 1 + 2 ?`, `1:12 object.spec.replicas`, `1:7 object.spec`,
		}},
		{"branches may be left out", `object.a ? object.b == 1 : object.c == 2`, []string{
			`1:10 object.a ? (object.b == 1) : (object.c == 2)`, `1:7 object.a ?`,
			`1:21 object.b == 1 ? optional`, `1:18 object.b`, `1:37 object.c == 2 ? optional`, `1:34 object.c`,
		}},
		{"&& and fallbacks", "true &&\n object.?a.orValue(object.b)", []string{
			"1:6 true && object.?a.orValue(object.b) ?", "2:19 object.?a.orValue(object.b) ? optional", "2:8 object.?a", "2:26 object.b optional",
		}},
		{"macros as they are written", `object.l.exists(x, x.n == object.m) && has(object.z)`, []string{
			`1:37 object.l.exists(x, x.n == object.m) && has(object.z) ?`,
			`1:16 object.l.exists(x, x.n == object.m) ?`, `1:7 object.l`,
			`1:24 x.n == object.m ? optional`, `1:21 x.n`, `1:33 object.m`,
			`1:43 has(object.z) ? optional`, `1:50 object.z`,
		}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			p, _, err := engine.Program(source(interpreter.InterpretHealth, tc.text))
			require.NoError(t, err)
			var got []string
			for _, n := range p.Nodes() {
				line := fmt.Sprintf("%d:%d %s", n.Line, n.Column, n.Text)
				if n.Condition {
					line += " ?"
				}
				if n.Optional {
					line += " optional"
				}
				got = append(got, line)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}
