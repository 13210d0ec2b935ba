package lua

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/gopher-lua/pm"
)

var errSpent = errors.New("over")

// bounded returns a matcher that may spend few steps.
func bounded(t *testing.T, subject, pattern string) *matcher {
	t.Helper()
	left := 20_000
	m, err := newMatcher(subject, pattern, func(n int) error {
		if left -= n; left < 0 {
			return errSpent
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return m
}

func TestPatterns(t *testing.T) {
	tests := []struct {
		reason, subject, pattern string
		start, end               int
	}{
		{"a class that is not there", "abc", "%d", -1, -1},
		{"a frontier", "THE (quick) fox", "%f[%a]%a+%f[%A]", 0, 3},
		{"a frontier at the end", "abc", "%f[%z]", 3, 3},
		{"a set with a range and a class", "x-9_", "[%w_-]+", 0, 4},
		{"a set that begins with ]", "a]b", "[]b]+", 1, 3},
		{"a set that excludes ]", "]]a", "[^]]", 2, 3},
		{"a range that begins with %", "a%b", "[%%]", 1, 2},
		{"a dash at the end", "a-b", "[a-]+", 0, 2},
		{"an anchor that is no anchor", "a^b", "a^b", 0, 3},
		{"a dollar in the middle", "a$b", "a$b", 0, 3},
		{"an optional item at the end", "ab", "abc?", 0, 2},
		{"a minus at the end", "aaa", "a-", 0, 0},
		{"a minus before an anchor", "aaa", "a-$", 0, 3},
		{"balanced", "f(a(b)c)d", "%b()", 1, 8},
		{"not balanced", "f(a(b)c", "%b()", 3, 6},
		{"the same again", "say \"hi\"", `(["'])(.-)%1`, 4, 8},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			start, end, err := bounded(t, test.subject, test.pattern).find(0)
			require.NoError(t, err)
			assert.Equal(t, []int{test.start, test.end}, []int{start, end})
		})
	}
	for _, malformed := range []string{"%", "[", "[^", "[]", "[a", "[a-", "[%", "(", "(()", ")", "%b", "%bx", "%f", "%fa", "%1", "(%1)", "%0"} {
		_, _, err := bounded(t, "abc", malformed).find(0)
		require.ErrorContains(t, err, "malformed pattern", malformed)
	}
	_, err := newMatcher("", string(make([]byte, maxPattern+1)), nil)
	require.ErrorContains(t, err, "pattern is too long")
}

// FuzzPattern holds that no pattern crashes the matcher or keeps it busy, and that it agrees with gopher-lua's matcher.
func FuzzPattern(f *testing.F) {
	for _, seed := range [][2]string{
		{"hello world", "(l+)(.-)o"}, {"key = value", "^(%w+)%s*=%s*(%w+)$"}, {"aaa", ".-.-.-b"}, {"[x]", "[]%]-[^a-z]*"}, {"(())", "%b()"},
		{"abcabc", "(abc)%1"}, {"x", "%f[%w]"}, {"", "$"}, {"a-b", "[a%-z]+"}, {"\xff\x00", "%z"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, subject, pattern string) {
		if len(subject) > 60 || len(pattern) > 30 {
			return
		}
		m := bounded(t, subject, pattern)
		start, end, err := m.find(0)
		if err != nil {
			return
		}
		for i := range m.level {
			_, _, ok := m.text(i, max(start, 0), max(end, 0))
			require.True(t, ok || start < 0)
		}
		if m.compared > 5_000 || !isPlain(pattern) {
			return // gopher-lua's has no bounds.
		}
		matches, err := pm.Find(pattern, []byte(subject), 0, 1)
		if err != nil {
			return
		}
		if len(matches) == 0 {
			assert.Equal(t, -1, start, "%q in %q", pattern, subject)
			return
		}
		assert.Equal(t, []int{matches[0].Capture(0), matches[0].Capture(1)}, []int{start, end}, "%q in %q", pattern, subject)
	})
}

// isPlain tells whether gopher-lua reads a pattern as Lua does: not those with sets, frontiers, what was matched before
// and balanced pairs, which it reads in its own way when they are odd, nor unusual places of the other special characters.
func isPlain(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '[', ']', '(', ')', '^':
			return false
		case '%':
			if i++; i == len(pattern) || !isLetter(pattern[i]) || pattern[i] == 'b' || pattern[i] == 'f' {
				return false
			}
		case '*', '+', '-', '?', '$':
			if i == 0 || pattern[i-1] == '*' || pattern[i-1] == '+' || pattern[i-1] == '-' || pattern[i-1] == '?' || pattern[i-1] == '$' {
				return false
			}
		case 0:
			return false
		}
	}
	return true
}
