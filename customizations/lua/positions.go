package lua

import (
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// positions tells where the nodes of a syntax tree stand. gopher-lua's trees know lines only, so the script is parsed with
// each word on a line of its own: the line of a node is then the number of a word.
type positions []token

// parsePositions returns the syntax tree of a script, and where its nodes stand; false when it cannot be parsed so.
func parsePositions(src *script.Source) ([]ast.Stmt, positions, bool) {
	offsets := lineOffsets(src.Text)
	s := &scanner{text: src.Text, line: 1, levels: []level{{}}}
	var text strings.Builder
	at := positions{{}, {}} // lines count from 1, and the first one is empty
	for {
		isCall := s.afterValue
		word, line, column, ok := s.next()
		if !ok {
			break
		}
		if word == "(" && isCall {
			text.WriteByte(' ') // On a line of its own it would be the beginning of a statement.
		} else {
			text.WriteByte('\n')
			at = append(at, token{word, line, column})
		}
		s.count(word)
		text.WriteString(src.Text[offsets[line-1]+column-1 : s.pos])
		at = append(at, slices.Repeat(positions{{word, line, column}}, s.line-line)...) // a long string
	}
	chunk, err := parse.Parse(strings.NewReader(text.String()), chunkName)
	return chunk, at, err == nil
}

// lineOffsets returns where the lines of a text begin, as the scanner counts them.
func lineOffsets(text string) []int {
	s := &scanner{text: text}
	offsets := []int{0}
	for s.pos < len(text) {
		if !isNewline(text[s.pos]) {
			s.pos++
			continue
		}
		s.newline()
		offsets = append(offsets, s.pos)
	}
	return offsets
}

// of returns the line and the column of a node in the script, 0 when they are not known. That of a field is where its name
// stands.
func (p positions) of(node ast.PositionHolder) (line, column int) {
	if get, ok := node.(*ast.AttrGetExpr); ok {
		node = get.Key
	}
	if n := node.Line(); n > 0 && n < len(p) {
		return p[n].line, p[n].column
	}
	return 0, 0
}
