package lua

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// maxNesting bounds how deeply blocks, brackets and operators may be nested in a script: the compiler recurses over them,
// and a Go stack that overflows ends the process. It also bounds the time that the compiler needs, which for chains of
// operators grows with the square of their length and worse.
const maxNesting = 150

// token is a word of a script that positions are told by.
type token struct {
	text         string
	line, column int
}

// scanner finds the words of a script, and how deeply they are nested. It reads strings, comments and numbers exactly as
// gopher-lua does, lest something be hidden from it; what it does not understand is left to the parser to refuse.
type scanner struct {
	text       string
	pos        int
	line       int
	lineStart  int
	idents     []token
	levels     []level
	nesting    int
	afterValue bool // the last token ends an operand
}

// level is an open bracket or block, and the operators and suffixes of the expression that is being read in it.
type level struct {
	closer    string
	operators int
	suffixes  int
}

// scan returns the identifiers of text with their places; the problem is that something is nested too deeply.
func scan(src *script.Source) ([]token, *script.Problem) {
	s := &scanner{text: src.Text, line: 1, levels: []level{{}}}
	for {
		word, line, column, ok := s.next()
		if !ok {
			return s.idents, nil
		}
		s.count(word)
		if s.nesting > maxNesting {
			return nil, &script.Problem{
				Severity: script.Error, Source: src, Line: line, Column: column,
				Message: fmt.Sprintf("blocks, brackets and operators are nested more than %d deep: split the expression", maxNesting),
			}
		}
		if isIdentStart(word[0]) {
			s.idents = append(s.idents, token{word, line, column})
		}
	}
}

// operators that stand between operands, and those that stand before one.
var (
	binaryOperators = []string{"+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or"}
	unaryOperators  = []string{"-", "#", "not"}
	// starters end the expression before them.
	starters = []string{
		"=", ",", ";", "local", "return", "if", "elseif", "else", "then", "while", "do", "for", "in", "repeat", "until",
		"end", "function", "break", "goto", "::",
	}
	closers = map[string]string{
		"(": ")", "[": "]", "{": "}", "function": "end", "then": "end", "do": "end", "repeat": "until",
	}
)

// count follows the nesting over one word. "if ... then ... elseif ... then ... else ... end" counts as one block.
func (s *scanner) count(word string) {
	top := &s.levels[len(s.levels)-1]
	switch {
	case s.afterValue && slices.Contains(binaryOperators, word), !s.afterValue && slices.Contains(unaryOperators, word):
		top.operators++
		s.nesting += 1 - top.suffixes
		top.suffixes = 0
		s.afterValue = false
		return
	case s.afterValue && (word == "." || word == ":" || word == "(" || word == "[" || word == "{" || word[0] == '"'):
		// Calls and indexes nest to the left.
		top.suffixes++
		s.nesting++
	case slices.Contains(starters, word), s.afterValue && isIdentStart(word[0]) && !isReserved(word):
		// Two operands in a row: a new statement.
		s.nesting -= top.operators + top.suffixes
		top.operators, top.suffixes = 0, 0
	}
	s.afterValue = word[0] == '"' || word == ")" || word == "]" || word == "}" || word == "end" || word == "..." ||
		isDigit(word[0]) || isIdentStart(word[0]) && !isReserved(word)
	switch {
	case word == "elseif" || word == "else" || len(s.levels) > 1 && word == top.closer:
		if len(s.levels) > 1 && (word == top.closer || top.closer == "end") {
			s.nesting -= top.operators + top.suffixes + 1
			s.levels = s.levels[:len(s.levels)-1]
		}
		if word == "else" {
			s.open("end")
		}
	case closers[word] != "":
		s.open(closers[word])
	}
}

func (s *scanner) open(closer string) {
	s.levels = append(s.levels, level{closer: closer})
	s.nesting++
}

// next returns the next word: an identifier or keyword, a number, an operator, or `"` for a string.
func (s *scanner) next() (word string, line, column int, ok bool) {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch {
		case isNewline(c):
			s.newline()
			continue
		case c == ' ' || c == '\t':
			s.pos++
			continue
		case strings.HasPrefix(s.text[s.pos:], "--"):
			s.pos += 2
			if !s.long() {
				s.skip(func(c byte) bool { return !isNewline(c) })
			}
			continue
		}
		start, line, column := s.pos, s.line, s.pos-s.lineStart+1
		switch {
		case isIdentStart(c):
			s.skip(func(c byte) bool { return isIdentStart(c) || isDigit(c) })
		case isDigit(c) || c == '.' && s.pos+1 < len(s.text) && isDigit(s.text[s.pos+1]):
			s.number()
			return "0", line, column, true
		case c == '"' || c == '\'':
			s.quoted(c)
			return `"`, line, column, true
		case c == '[' && s.long():
			return `"`, line, column, true
		default:
			s.pos += operatorLength(s.text[s.pos:])
		}
		return s.text[start:s.pos], line, column, true
	}
	return "", 0, 0, false
}

func operatorLength(text string) int {
	for _, operator := range []string{"...", "..", "==", "~=", "<=", ">=", "::"} {
		if strings.HasPrefix(text, operator) {
			return len(operator)
		}
	}
	return 1
}

func (s *scanner) skip(while func(byte) bool) {
	for s.pos < len(s.text) && while(s.text[s.pos]) {
		s.pos++
	}
}

func isNewline(c byte) bool { return c == '\n' || c == '\r' }

// newline skips the end of a line: one character, or two different ones.
func (s *scanner) newline() {
	c := s.text[s.pos]
	s.pos++
	if s.pos < len(s.text) && isNewline(s.text[s.pos]) && s.text[s.pos] != c {
		s.pos++
	}
	s.line++
	s.lineStart = s.pos
}

// number skips a number as gopher-lua does, which takes any character for the first digit of an exponent.
func (s *scanner) number() {
	if rest := s.text[s.pos:]; len(rest) > 1 && rest[0] == '0' && rest[1]|0x20 == 'x' {
		s.pos += 2
		s.skip(func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' })
		return
	}
	s.pos++ // A digit, or the point of .5, behind which a second one may stand.
	s.skip(isDigit)
	if s.at('.') {
		s.pos++
		s.skip(isDigit)
	}
	if !s.at('e') && !s.at('E') {
		return
	}
	s.pos++
	if s.at('-') || s.at('+') {
		s.pos++
	}
	if s.pos < len(s.text) {
		if isNewline(s.text[s.pos]) {
			s.newline()
		} else {
			s.pos++
		}
	}
	s.skip(isDigit)
}

func (s *scanner) at(c byte) bool { return s.pos < len(s.text) && s.text[s.pos] == c }

func (s *scanner) quoted(quote byte) {
	for s.pos++; s.pos < len(s.text); {
		switch c := s.text[s.pos]; c {
		case quote:
			s.pos++
			return
		case '\n', '\r':
			s.newline()
		case '\\':
			s.pos++
			if s.pos < len(s.text) && !isNewline(s.text[s.pos]) {
				s.pos++
			}
		default:
			s.pos++
		}
	}
}

// long skips a long string or comment, [[...]] or [=[...]=], if one stands here.
func (s *scanner) long() bool {
	rest := s.text[s.pos:]
	if !strings.HasPrefix(rest, "[") {
		return false
	}
	equals := len(rest[1:]) - len(strings.TrimLeft(rest[1:], "="))
	if !strings.HasPrefix(rest[1+equals:], "[") {
		return false
	}
	closer := "]" + strings.Repeat("=", equals) + "]"
	end := strings.Index(rest, closer)
	if end < 0 {
		end = len(rest) - len(closer)
	}
	for end += s.pos + len(closer); s.pos < end; {
		if isNewline(s.text[s.pos]) {
			s.newline()
		} else {
			s.pos++
		}
	}
	return true
}

func isIdentStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isReserved(word string) bool {
	switch word {
	case "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
		"not", "or", "repeat", "return", "then", "true", "until", "while":
		return word != "nil" && word != "true" && word != "false"
	}
	return false
}
