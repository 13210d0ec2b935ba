package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Objects are most of what travels, and their plain values need no reflection. These two functions do what encoding/json
// and Kubernetes' decoder do with such values, in about a third of the time; tests hold them to that.

// maxDepth bounds how deep a value may be nested.
const maxDepth = 1000

const hexDigits = "0123456789abcdef"

// literal tells of a byte whether it stands for itself in a string, whoever writes it.
var literal = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = !strings.ContainsRune(`"\<>&`, c)
	}
	return table
}()

// appendJSON appends the JSON of a value, as json.Marshal writes it. Values that are not plain are left to json.Marshal.
func appendJSON(dst []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case string:
		return appendString(dst, v), nil
	case map[string]any:
		return appendObject(dst, v)
	case []any:
		return appendList(dst, v)
	}
	data, err := json.Marshal(value)
	return append(dst, data...), err
}

// A member is a field of an object.
type member struct {
	name  string
	value any
}

// fewMembers is how many members are sorted where they are, which takes no memory.
const fewMembers = 12

func appendObject(dst []byte, object map[string]any) ([]byte, error) {
	if object == nil {
		return append(dst, "null"...), nil
	}
	if len(object) > fewMembers {
		return appendMembers(dst, sortedMembers(object))
	}
	var few [fewMembers]member
	n := 0
	for name, value := range object {
		i := n
		for ; i > 0 && few[i-1].name > name; i-- {
			few[i] = few[i-1]
		}
		few[i] = member{name, value}
		n++
	}
	return appendMembers(dst, few[:n])
}

func sortedMembers(object map[string]any) []member {
	members := make([]member, 0, len(object))
	for name, value := range object {
		members = append(members, member{name, value})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return members
}

func appendMembers(dst []byte, members []member) ([]byte, error) {
	dst = append(dst, '{')
	for i := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, members[i].name), ':')
		var err error
		if dst, err = appendJSON(dst, members[i].value); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func appendList(dst []byte, list []any) ([]byte, error) {
	if list == nil {
		return append(dst, "null"...), nil
	}
	dst = append(dst, '[')
	for i, value := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendJSON(dst, value); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendString appends s as encoding/json does: with what means something in HTML escaped.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if literal[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = appendEscaped(append(dst, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[start:i]...), `\ufffd`...)
			start = i + size
		case r == '\u2028' || r == '\u2029':
			dst = append(append(dst, s[start:i]...), '\\', 'u', '2', '0', '2', hexDigits[r&0xF])
			start = i + size
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
}

// parseJSON returns the one JSON value in data as plain values: whole numbers are int64, and float64 when they are too
// large for that. The value shares no memory with data; its strings share one copy of it. Of equal names in an object
// the last counts.
func parseJSON(data []byte) (any, error) {
	p := &parser{data: string(data)}
	p.space()
	if p.at == len(data) {
		return nil, errors.New("got nothing")
	}
	value, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(data) {
		return nil, p.unexpected("the end")
	}
	return value, nil
}

type parser struct {
	data string
	at   int
}

// unexpected is the error of something else than want at the current place.
func (p *parser) unexpected(want string) error {
	if p.at >= len(p.data) {
		return fmt.Errorf("byte %d: want %s, got the end of the input", p.at, want)
	}
	r, _ := utf8.DecodeRuneInString(p.data[p.at:])
	return fmt.Errorf("byte %d: want %s, got %q", p.at, want, r)
}

func (p *parser) space() {
	for p.at < len(p.data) {
		switch p.data[p.at] {
		case ' ', '\n', '\t', '\r':
			p.at++
		default:
			return
		}
	}
}

// next tells whether c is next, and goes past it if so.
func (p *parser) next(c byte) bool {
	if p.at < len(p.data) && p.data[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(depth int) (any, error) {
	if p.at >= len(p.data) {
		return nil, p.unexpected("a value")
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("byte %d: nested deeper than %d", p.at, maxDepth)
	}
	switch c := p.data[p.at]; c {
	case '{':
		return p.object(depth + 1)
	case '[':
		return p.list(depth + 1)
	case '"':
		return p.text()
	case 't':
		return true, p.word("true")
	case 'f':
		return false, p.word("false")
	case 'n':
		return nil, p.word("null")
	default:
		return p.number()
	}
}

func (p *parser) word(word string) error {
	for i := range len(word) {
		if !p.next(word[i]) {
			return p.unexpected(word)
		}
	}
	return nil
}

func (p *parser) object(depth int) (map[string]any, error) {
	p.at++
	object := map[string]any{}
	if p.space(); p.next('}') {
		return object, nil
	}
	for {
		if p.space(); p.at >= len(p.data) || p.data[p.at] != '"' {
			return nil, p.unexpected("a name")
		}
		name, err := p.text()
		if err != nil {
			return nil, err
		}
		if p.space(); !p.next(':') {
			return nil, p.unexpected(":")
		}
		p.space()
		if object[name], err = p.value(depth); err != nil {
			return nil, err
		}
		p.space()
		switch {
		case p.next(','):
		case p.next('}'):
			return object, nil
		default:
			return nil, p.unexpected(", or }")
		}
	}
}

func (p *parser) list(depth int) ([]any, error) {
	p.at++
	list := []any{}
	if p.space(); p.next(']') {
		return list, nil
	}
	for {
		p.space()
		value, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		p.space()
		switch {
		case p.next(','):
		case p.next(']'):
			return list, nil
		default:
			return nil, p.unexpected(", or ]")
		}
	}
}

// text reads a string. One with escapes, or bytes that are not UTF-8, is left to encoding/json.
func (p *parser) text() (string, error) {
	start, simple := p.at, true
	for i := start + 1; i < len(p.data); i++ {
		c := p.data[i]
		if literal[c] {
			continue
		}
		switch {
		case c == '"':
			p.at = i + 1
			if raw := p.data[start+1 : i]; simple || utf8.ValidString(raw) && !strings.Contains(raw, `\`) {
				return raw, nil
			}
			var s string
			if err := json.Unmarshal([]byte(p.data[start:p.at]), &s); err != nil {
				return "", fmt.Errorf("byte %d: %w", start, err)
			}
			return s, nil
		case c == '\\':
			simple = false
			i++ // whatever it is, it does not end the string
		case c >= utf8.RuneSelf:
			simple = false
		case c < ' ':
			p.at = i
			return "", p.unexpected("an escape for a control character")
		}
	}
	p.at = len(p.data)
	return "", p.unexpected(`"`)
}

// number reads a number by the grammar of RFC 8259.
func (p *parser) number() (any, error) {
	start, whole := p.at, true
	p.next('-')
	if !p.next('0') && !p.digits() {
		return nil, p.unexpected("a value")
	}
	if p.next('.') {
		if whole = false; !p.digits() {
			return nil, p.unexpected("a digit")
		}
	}
	if p.next('e') || p.next('E') {
		whole = false
		if !p.next('-') {
			p.next('+')
		}
		if !p.digits() {
			return nil, p.unexpected("a digit")
		}
	}
	text := p.data[start:p.at]
	if whole {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, fmt.Errorf("byte %d: number %s is too large", start, text)
	}
	return f, nil
}

// digits goes past digits, and tells whether there was one.
func (p *parser) digits() bool {
	start := p.at
	for p.at < len(p.data) && p.data[p.at] >= '0' && p.data[p.at] <= '9' {
		p.at++
	}
	return p.at > start
}

// equal compares plain values. An object or list that is nil is null on the wire, and not equal to an empty one.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && (identical(a, b) || (a == nil) == (b == nil) && maps.EqualFunc(a, b, equal))
	case []any:
		b, ok := b.([]any)
		return ok && (a == nil) == (b == nil) && slices.EqualFunc(a, b, equal)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// identical tells whether two variables hold one object, as where an interpreter answers with parts of its question.
func identical(a, b map[string]any) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}
