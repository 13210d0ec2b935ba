package cases

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/manifest"
)

func TestDerive(t *testing.T) {
	bases, _ := decoded(t, `{plain: {a: {b: 1, c: [1, 2], d: null}, e: 2}, more: {base: plain, patch: {a: {b: 3}}}}`).(map[string]any)
	for _, tc := range []struct{ reason, derived, want string }{
		{"a base as it is", `{base: plain}`, `{a: {b: 1, c: [1, 2], d: null}, e: 2}`},
		{"a base made from a base", `{base: more}`, `{a: {b: 3, c: [1, 2], d: null}, e: 2}`},
		{"maps merge, null deletes", `{base: plain, patch: {a: {b: null, f: {}}}}`, `{a: {c: [1, 2], d: null, f: {}}, e: 2}`},
		{"lists and scalars replace", `{base: plain, patch: {a: {c: [3]}, e: {x: 1}}}`, `{a: {b: 1, c: [3], d: null}, e: {x: 1}}`},
		{"a matcher replaces", `{base: plain, patch: {a: {$any: true}}}`, `{a: {$any: true}, e: 2}`},
		{"removal of fields and elements, behind the patch", `{base: plain, patch: {g: 1}, remove: [g, e, "a.c[0]"]}`, `{a: {b: 1, c: [2], d: null}}`},
		{"a field that is null can be removed", `{base: plain, remove: [a.d]}`, `{a: {b: 1, c: [1, 2]}, e: 2}`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			fields, _ := decoded(t, tc.derived).(map[string]any)
			got, err := derive(bases, fields, nil)
			require.NoError(t, err)
			assert.Equal(t, decoded(t, tc.want), got)
		})
	}
	assert.Equal(t, decoded(t, `{plain: {a: {b: 1, c: [1, 2], d: null}, e: 2}, more: {base: plain, patch: {a: {b: 3}}}}`), any(bases),
		"bases stay as they are")

	for _, path := range []manifest.Path{{"a", "c", 2}, {"a", 0}, {"e", "x"}, {"nowhere"}} {
		_, err := remove(bases["plain"], path)
		assert.ErrorContains(t, err, "want a field that is there, got none", path.String())
	}
}

// TestOverlay holds that a row of a matrix can say null, which in a patch deletes.
func TestOverlay(t *testing.T) {
	base := decoded(t, `{desiredObj: {base: a, patch: {x: 1, y: 2}}, output: {replica: 1}}`)
	got := overlay(base, decoded(t, `{desiredObj: {patch: {x: null}}, output: {$any: true}}`))
	assert.Equal(t, decoded(t, `{desiredObj: {base: a, patch: {x: null, y: 2}}, output: {$any: true}}`), got)
}
