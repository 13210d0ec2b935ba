package lua_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter"
)

const traced = `local kube = require("kube")

function InterpretHealth(obj)
  local ready = 0
  for i = 1, 2 do
    ready = ready + i
  end
  print("ready", ready, obj.spec.paused, obj.nothing, {})
  if ready > 9 then
    return false
  end
  return true
end`

func TestTrace(t *testing.T) {
	src := source(interpreter.InterpretHealth, traced)
	p, _, err := newEngine().Load(src)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 3, 4, 5, 6, 8, 9, 10, 12}, p.Lines())

	var plain, stepped interpreter.Usage
	_, err = p.Rule()(interpreter.WithTrace(t.Context(), &interpreter.Trace{Spent: func(_ interpreter.Source, u interpreter.Usage) { plain = u }}), health(t))
	require.NoError(t, err)

	var lines []int
	var printed []string
	var answered []interpreter.Source
	values := map[int]map[string]any{}
	resp, err := p.Rule()(interpreter.WithTrace(t.Context(), &interpreter.Trace{
		Answered: func(s interpreter.Source, err error) {
			require.NoError(t, err)
			answered = append(answered, s)
		},
		Printed: func(_ interpreter.Source, text string) { printed = append(printed, text) },
		Spent:   func(_ interpreter.Source, u interpreter.Usage) { stepped = u },
		Step: func(s interpreter.Step) {
			if s.Node != 0 {
				return // a condition
			}
			lines = append(lines, s.Line)
			values[s.Line] = s.Values()
		},
	}), health(t))
	require.NoError(t, err)
	assert.True(t, resp.Health.Healthy())
	assert.Equal(t, []string{"ready\t3\tfalse\tnil\ttable"}, printed)
	assert.Equal(t, []interpreter.Source{src.Source()}, answered)
	assert.Equal(t, []int{1, 3, 4, 5, 6, 5, 6, 5, 8, 9, 12}, lines)
	assert.Equal(t, plain, stepped, "steps cost nothing")
	assert.Equal(t, int64(3), values[8]["ready"])
	assert.Equal(t, int64(2), values[6]["i"])
	assert.Equal(t, "Rollout", values[8]["obj"].(map[string]any)["kind"])
}

func TestTraceOfAnError(t *testing.T) {
	var answered error
	ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{Answered: func(_ interpreter.Source, err error) { answered = err }})
	_, err := compiled(t, shared, source(interpreter.InterpretHealth, inHealth("error('no')")))(ctx, health(t))
	require.Error(t, err)
	assert.Equal(t, err, answered)
}

// TestClock holds that time and randomness are those of the caller's clock, so that a run can be repeated.
func TestClock(t *testing.T) {
	rule := compiled(t, shared, source(interpreter.InterpretHealth, `function InterpretHealth(obj)
		return "Healthy", os.date("!%Y-%m-%dT%H:%M:%SZ") .. " " .. os.time() .. " " .. math.random(1000) .. " " .. math.random()
	end`))
	at := func(seed int64) string {
		clock := interpreter.Clock{Now: func() time.Time { return time.Date(2026, 5, 19, 1, 2, 3, 0, time.FixedZone("", 3600)) }, Seed: seed}
		resp, err := rule(interpreter.WithClock(t.Context(), clock), health(t))
		require.NoError(t, err)
		return resp.Health.Message
	}
	first := at(1)
	assert.Equal(t, first, at(1))
	assert.NotEqual(t, first, at(2))
	assert.Contains(t, first, "2026-05-19T00:02:03Z 1779148923 ")
}

func TestDate(t *testing.T) {
	for format, want := range map[string]string{
		"%a %A %b %B %d %e": "Tue Tuesday May May 05  5", "%H:%M:%S %I %p": "13:04:09 01 PM", "%y %Y %C": "26 2026 20",
		"%j %w %u": "125 2 2", "%D %F %T %R": "05/05/26 2026-05-05 13:04:09 13:04", "%U %W %V %G": "18 18 19 2026",
		"%s": "1777986249", "%z %Z": "+0000 UTC", "%%": "%", "%": "%", "%Q": "%Q", "%c": "Tue May  5 13:04:09 2026",
		"x%nY%t": "x\nY\t", "%x %X": "05/05/26 13:04:09", "%h %r": "May 01:04:09 PM",
	} {
		text := `function InterpretHealth() return "Healthy", os.date("!` + format + `", 1777986249) end`
		resp, err := compiled(t, shared, source(interpreter.InterpretHealth, text))(t.Context(), health(t))
		require.NoError(t, err)
		assert.Equal(t, want, resp.Health.Message, format)
	}
}
