package lua

import (
	"errors"
	"strings"
)

// Bounds of a pattern: it is matched by recursion over its items.
const (
	maxPattern  = 1 << 10
	maxCaptures = 32
	// matchesPerStep is how many characters are compared in the time of one instruction.
	matchesPerStep = 4
)

// matcher matches a Lua pattern against a subject. Patterns can take exponential time, so it counts its comparisons.
type matcher struct {
	subject, pattern string
	captures         [maxCaptures]capture
	level            int
	compared         int
	// spend is called with instructions that were spent; its error, or that of the pattern, ends the match.
	spend func(steps int) error
	err   error
}

// capture is a part of the subject: its length is known once it is closed.
type capture struct{ start, length int }

const (
	openCapture     = -1
	positionCapture = -2
)

func newMatcher(subject, pattern string, spend func(int) error) (*matcher, error) {
	if len(pattern) > maxPattern {
		return nil, errors.New("pattern is too long: want at most 1024 characters")
	}
	return &matcher{subject: subject, pattern: pattern, spend: spend}, nil
}

// find returns where the pattern first matches at or after from; start is -1 when it does not.
func (m *matcher) find(from int) (start, end int, err error) {
	p := 0
	anchored := strings.HasPrefix(m.pattern, "^")
	if anchored {
		p = 1
	}
	for s := from; s <= len(m.subject); s++ {
		m.level = 0
		e := m.match(s, p)
		if m.err != nil {
			return -1, -1, m.err
		}
		if e >= 0 {
			return s, e, m.closed()
		}
		if anchored {
			break
		}
	}
	return -1, -1, nil
}

// closed returns the error of a match that left a capture open.
func (m *matcher) closed() error {
	for i := range m.level {
		if m.captures[i].length == openCapture {
			return errors.New("malformed pattern: unfinished capture")
		}
	}
	return nil
}

// text returns capture i of the last match, which went from start to end; the whole match for 0 when there is none.
func (m *matcher) text(i, start, end int) (text string, position int, ok bool) {
	switch {
	case i >= m.level && i == 0:
		return m.subject[start:end], 0, true
	case i >= m.level:
		return "", 0, false
	case m.captures[i].length == positionCapture:
		return "", m.captures[i].start + 1, true
	}
	c := m.captures[i]
	return m.subject[c.start : c.start+c.length], 0, true
}

func (m *matcher) fail(message string) int {
	if m.err == nil {
		m.err = errors.New("malformed pattern: " + message)
	}
	return -1
}

// count counts a comparison, and tells whether the match may go on.
func (m *matcher) count() bool {
	m.compared++
	if m.compared%(16*matchesPerStep) == 0 && m.err == nil {
		m.err = m.spend(16)
	}
	return m.err == nil
}

// match matches the pattern from p against the subject from s, and returns where the match ends, or -1.
func (m *matcher) match(s, p int) int {
	for m.count() {
		if p == len(m.pattern) {
			return s
		}
		switch m.pattern[p] {
		case '(':
			if strings.HasPrefix(m.pattern[p+1:], ")") {
				return m.open(s, p+2, positionCapture)
			}
			return m.open(s, p+1, openCapture)
		case ')':
			return m.close(s, p+1)
		case '$':
			if p+1 == len(m.pattern) {
				if s == len(m.subject) {
					return s
				}
				return -1
			}
		case '%':
			if p+1 < len(m.pattern) {
				switch c := m.pattern[p+1]; {
				case c == 'b':
					if s = m.balance(s, p+2); s < 0 {
						return -1
					}
					p += 4
					continue
				case c == 'f':
					next := m.frontier(s, p+2)
					if next < 0 {
						return -1
					}
					p = next
					continue
				case isDigit(c):
					if s = m.again(s, int(c-'1')); s < 0 {
						return -1
					}
					p += 2
					continue
				}
			}
		}
		end := m.itemEnd(p)
		if end < 0 {
			return -1
		}
		suffix := byte(0)
		if end < len(m.pattern) {
			suffix = m.pattern[end]
		}
		switch suffix {
		case '?':
			if m.single(s, p, end) {
				if e := m.match(s+1, end+1); e >= 0 || m.err != nil {
					return e
				}
			}
			p = end + 1
		case '*':
			return m.longest(s, p, end)
		case '+':
			if !m.single(s, p, end) {
				return -1
			}
			return m.longest(s+1, p, end)
		case '-':
			return m.shortest(s, p, end)
		default:
			if !m.single(s, p, end) {
				return -1
			}
			s, p = s+1, end
		}
	}
	return -1
}

func (m *matcher) longest(s, p, end int) int {
	n := 0
	for m.single(s+n, p, end) && m.count() {
		n++
	}
	for ; n >= 0 && m.err == nil; n-- {
		if e := m.match(s+n, end+1); e >= 0 {
			return e
		}
	}
	return -1
}

func (m *matcher) shortest(s, p, end int) int {
	for m.err == nil {
		if e := m.match(s, end+1); e >= 0 || m.err != nil {
			return e
		}
		if !m.single(s, p, end) {
			return -1
		}
		s++
	}
	return -1
}

func (m *matcher) open(s, p, length int) int {
	if m.level == maxCaptures {
		return m.fail("too many captures")
	}
	m.captures[m.level] = capture{s, length}
	m.level++
	e := m.match(s, p)
	if e < 0 {
		m.level--
	}
	return e
}

func (m *matcher) close(s, p int) int {
	for i := m.level - 1; i >= 0; i-- {
		if m.captures[i].length == openCapture {
			m.captures[i].length = s - m.captures[i].start
			e := m.match(s, p)
			if e < 0 {
				m.captures[i].length = openCapture
			}
			return e
		}
	}
	return m.fail("invalid pattern capture")
}

// again matches what capture i matched once more.
func (m *matcher) again(s, i int) int {
	if i < 0 || i >= m.level || m.captures[i].length == openCapture {
		return m.fail("invalid capture index")
	}
	text, _, _ := m.text(i, 0, 0)
	for range len(text) / 16 {
		m.count()
	}
	if !strings.HasPrefix(m.subject[s:], text) {
		return -1
	}
	return s + len(text)
}

func (m *matcher) balance(s, p int) int {
	if p+1 >= len(m.pattern) {
		return m.fail("missing arguments to '%b'")
	}
	if s >= len(m.subject) || m.subject[s] != m.pattern[p] {
		return -1
	}
	for depth := 1; m.count(); {
		s++
		switch {
		case s >= len(m.subject):
			return -1
		case m.subject[s] == m.pattern[p+1]:
			if depth--; depth == 0 {
				return s + 1
			}
		case m.subject[s] == m.pattern[p]:
			depth++
		}
	}
	return -1
}

// frontier matches "%f[set]", where p is that of the set, and returns where the pattern goes on.
func (m *matcher) frontier(s, p int) int {
	if p >= len(m.pattern) || m.pattern[p] != '[' {
		return m.fail("missing '[' after '%f'")
	}
	end := m.itemEnd(p)
	if end < 0 {
		return -1
	}
	var before, here byte
	if s > 0 {
		before = m.subject[s-1]
	}
	if s < len(m.subject) {
		here = m.subject[s]
	}
	if m.inSet(before, p, end) || !m.inSet(here, p, end) {
		return -1
	}
	return end
}

// itemEnd returns where the item that begins at p ends: a character, a class, a set.
func (m *matcher) itemEnd(p int) int {
	switch m.pattern[p] {
	case '%':
		if p+1 == len(m.pattern) {
			return m.fail("it ends with '%'")
		}
		return p + 2
	case '[':
		p++
		if p < len(m.pattern) && m.pattern[p] == '^' {
			p++
		}
		for first := true; first || p < len(m.pattern) && m.pattern[p] != ']'; first = false {
			if p < len(m.pattern) && m.pattern[p] == '%' {
				p++
			}
			p++
		}
		if p >= len(m.pattern) {
			return m.fail("missing ']'")
		}
	}
	return p + 1
}

// single tells whether the item from p to end matches the character at s.
func (m *matcher) single(s, p, end int) bool {
	if s >= len(m.subject) {
		return false
	}
	c := m.subject[s]
	switch m.pattern[p] {
	case '.':
		return true
	case '%':
		return inClass(c, m.pattern[p+1])
	case '[':
		return m.inSet(c, p, end)
	default:
		return m.pattern[p] == c
	}
}

// inSet tells whether c is in the set from p, its '[', to end.
func (m *matcher) inSet(c byte, p, end int) bool {
	p++
	negated := m.pattern[p] == '^'
	if negated {
		p++
	}
	for last := end - 1; p < last; p++ {
		switch {
		case m.pattern[p] == '%':
			p++
			if inClass(c, m.pattern[p]) {
				return !negated
			}
		case p+2 < last && m.pattern[p+1] == '-':
			if m.pattern[p] <= c && c <= m.pattern[p+2] {
				return !negated
			}
			p += 2
		case m.pattern[p] == c:
			return !negated
		}
		m.count()
	}
	return negated
}

// inClass tells whether c is in a class such as %a, or in none of it for %A.
func inClass(c, class byte) bool {
	var in bool
	switch class | 0x20 {
	case 'a':
		in = isLetter(c)
	case 'c':
		in = c < 0x20 || c == 0x7f
	case 'd':
		in = isDigit(c)
	case 'l':
		in = 'a' <= c && c <= 'z'
	case 'p':
		in = c > 0x20 && c < 0x7f && !isLetter(c) && !isDigit(c)
	case 's':
		in = c == ' ' || '\t' <= c && c <= '\r'
	case 'u':
		in = 'A' <= c && c <= 'Z'
	case 'w':
		in = isLetter(c) || isDigit(c)
	case 'x':
		in = isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
	case 'z':
		in = c == 0
	default:
		return c == class
	}
	if !isLetter(class) {
		return c == class
	}
	return in == (class&0x20 != 0)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
