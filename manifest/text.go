package manifest

import (
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// TextLines returns the lines of the file on which the lines of the text at path begin: those behind the header of a
// block, which in a folded one (>) need not follow each other, otherwise the line of the text itself for each. It is nil
// when the text is not found.
func (o *Object) TextLines(path Path) []int {
	d := o.Document
	node, end := d.Extent(append(slices.Clip(o.Path), path...))
	if node != nil && node.Kind == yamlv3.AliasNode {
		node, end = node.Alias, d.Start+strings.Count(string(d.Text), "\n")+1
	}
	if node == nil || node.Kind != yamlv3.ScalarNode {
		return nil
	}
	text := strings.Split(strings.TrimSuffix(node.Value, "\n"), "\n")
	lines := make([]int, len(text))
	switch {
	case node.Style&yamlv3.FoldedStyle != 0:
		source := strings.Split(string(d.Text), "\n")[node.Line:]
		for i, at := range unfold(text, source[:min(len(source), max(end-d.Start-node.Line, 0))]) {
			lines[i] = d.Start + node.Line + at
		}
	case node.Style&yamlv3.LiteralStyle != 0:
		for i := range lines {
			lines[i] = d.Start + node.Line + i
		}
	default:
		for i := range lines {
			lines[i] = d.Start + node.Line - 1
		}
	}
	return lines
}

// unfold returns at which line of source each line of text begins. YAML makes one line of text of lines of source that are
// not indented more than the first.
func unfold(text, source []string) []int {
	out := make([]int, len(text))
	at := 0
	for i, line := range text {
		rest := strings.TrimSpace(line)
		next := at
		for rest != "" && next < len(source) && !begins(rest, source[next]) {
			next++
		}
		if next < len(source) {
			at = next
		}
		out[i] = min(at, max(len(source)-1, 0))
		for at < len(source) && begins(rest, source[at]) {
			rest = strings.TrimSpace(rest[len(strings.TrimSpace(source[at])):])
			at++
		}
		if strings.TrimSpace(line) == "" && at < len(source) && strings.TrimSpace(source[at]) == "" {
			at++
		}
	}
	return out
}

// begins tells whether text begins with what stands in a line of source.
func begins(text, source string) bool {
	source = strings.TrimSpace(source)
	return source != "" && strings.HasPrefix(text, source)
}
