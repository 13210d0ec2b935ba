package cel

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-io/dragoman/customizations/script"
)

const (
	// maxNesting is how many brackets may be open at once. The parser recurses, and the type-checker's time grows with the
	// cube of the nesting of literals.
	maxNesting = 64
	// maxNodes is how many nodes the syntax tree may have once macros are expanded.
	maxNodes = 20_000
)

// checkSource tells what is wrong with a source before a parser has seen it; nil for nothing.
func checkSource(src *script.Source) *script.Problem {
	problem := func(line, column int, format string, args ...any) *script.Problem {
		return &script.Problem{
			Severity: script.Error, Source: src, Line: line, Column: column, Message: fmt.Sprintf(format, args...),
		}
	}
	text := src.Text
	switch {
	case len(text) > script.MaxSource:
		return problem(0, 0, "the expression has %d bytes: want at most %d", len(text), script.MaxSource)
	case strings.TrimSpace(text) == "":
		return problem(0, 0, "the expression is empty")
	case !utf8.ValidString(text):
		line, column := place(text, invalidByte(text))
		return problem(line, column, "the expression is not valid UTF-8")
	}
	depth := 0
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '(', '[', '{':
			if depth++; depth > maxNesting {
				line, column := place(text, i)
				return problem(line, column, "more than %d brackets are open here: want less nesting", maxNesting)
			}
		case ')', ']', '}':
			depth--
		case '/':
			if strings.HasPrefix(text[i:], "//") {
				i += len(firstLine(text[i:]))
				continue
			}
		case '"', '\'':
			i += quoted(text, i)
			continue
		case '`':
			if end := strings.IndexByte(firstLine(text[i+1:]), '`'); end >= 0 {
				i += end + 2
				continue
			}
		}
		i++
	}
	return nil
}

// quoted returns how long the string literal is that begins at text[start]. One without an end goes up to the end of
// its line, or of the text.
func quoted(text string, start int) int {
	quote := text[start : start+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(text[start:], triple) {
		quote = triple
	}
	raw := start > 0 && strings.ContainsAny(text[start-1:start], "rR") ||
		start > 1 && strings.ContainsAny(text[start-2:start-1], "rR") && strings.ContainsAny(text[start-1:start], "bB")
	i := start + len(quote)
	for i < len(text) {
		switch {
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote) - start
		case text[i] == '\\' && !raw:
			i += 2
		case (text[i] == '\n' || text[i] == '\r') && len(quote) == 1:
			return i - start
		default:
			i++
		}
	}
	return len(text) - start
}

func firstLine(text string) string {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return text[:i]
	}
	return text
}

// place returns the line and the column, in bytes, of a byte of text; both count from 1.
func place(text string, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	return strings.Count(before, "\n") + 1, len(before) - strings.LastIndexByte(before, '\n')
}

// placeOf returns the place of a character that cel-go counts: a line from 1, a column in code points from 0.
func placeOf(text string, line, column int) (int, int) {
	if line < 1 {
		return 0, 0
	}
	for range line - 1 {
		_, text, _ = strings.Cut(text, "\n")
	}
	bytes := 0
	for i := range text {
		if column == 0 || text[i] == '\n' {
			return line, i + 1
		}
		column--
		bytes = i + 1
	}
	return line, max(bytes, len(text)) + 1
}

func invalidByte(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return len(text)
}
