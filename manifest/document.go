package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	yamlv3 "go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Document is one YAML or JSON document of a file. Its value is decoded as Kubernetes decodes manifests; its nodes, which
// know their lines, are parsed only when a place is asked for. It is safe for concurrent use.
type Document struct {
	// File is the name of the file.
	File string
	// Start is the line of the file, from 1, on which Text begins.
	Start int
	// Text is the document, without the separators around it. It must not be modified.
	Text []byte

	once sync.Once
	root *yamlv3.Node
}

// Split returns the documents in the data of a file, without the empty ones. File is its name, for positions.
func Split(file string, data []byte) []*Document {
	var documents []*Document
	var current []byte
	start, line := 1, 0
	flush := func() {
		if hasContent(current) {
			documents = append(documents, &Document{File: file, Start: start, Text: current})
		}
	}
	for text := range bytes.Lines(bytes.TrimPrefix(data, []byte("\uFEFF"))) {
		line++
		if bytes.HasPrefix(text, []byte("---")) && len(bytes.TrimRight(text[3:], " \t\r\n")) == 0 {
			flush()
			current, start = nil, line+1
			continue
		}
		current = append(current, text...)
	}
	flush()
	return documents
}

func hasContent(text []byte) bool {
	for line := range bytes.Lines(text) {
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] != '#' {
			return true
		}
	}
	return false
}

// Line returns the line of the file, from 1, on which the first key of the document stands.
func (d *Document) Line() int {
	line := d.Start
	for text := range bytes.Lines(d.Text) {
		if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] != '#' {
			return line
		}
		line++
	}
	return d.Start
}

// Decode returns the document's value, with whole numbers as int64: nil, bool, int64, float64, string, map[string]any or
// []any. Its error names the file and the line. An error may come with a value: that of a document in which a key appears
// twice.
func (d *Document) Decode() (any, error) {
	var value any
	if text := bytes.TrimSpace(d.Text); len(text) > 0 && text[0] == '{' && utiljson.Unmarshal(text, &value) == nil {
		return value, nil
	}
	data, err := yaml.YAMLToJSONStrict(d.Text)
	if err != nil {
		err = d.syntaxError(err)
		var lenientErr error
		if data, lenientErr = yaml.YAMLToJSON(d.Text); lenientErr != nil {
			return nil, err
		}
	}
	if jsonErr := utiljson.Unmarshal(data, &value); jsonErr != nil {
		return nil, d.Errorf(nil, "%w", jsonErr)
	}
	return value, err
}

var (
	yamlLine = regexp.MustCompile(`line (\d+): `)
	// nextLine matches where the next of several errors begins.
	nextLine = regexp.MustCompile(`\n\s*line (\d+): `)
)

// syntaxError returns err with lines of the file instead of those of the document.
func (d *Document) syntaxError(err error) error {
	text := err.Error()
	for _, prefix := range []string{"error converting YAML to JSON: ", "yaml: ", "unmarshal errors:\n  "} {
		text = strings.TrimPrefix(text, prefix)
	}
	line := d.Start
	if found := yamlLine.FindStringSubmatchIndex(text); found != nil {
		n, _ := strconv.Atoi(text[found[2]:found[3]])
		line, text = d.Start+n-1, text[:found[0]]+text[found[1]:]
	}
	text = nextLine.ReplaceAllStringFunc(text, func(next string) string {
		n, _ := strconv.Atoi(nextLine.FindStringSubmatch(next)[1])
		return fmt.Sprintf("; line %d: ", d.Start+n-1)
	})
	text = strings.Join(strings.Fields(text), " ")
	if strings.HasSuffix(text, "found character that cannot start any token") {
		text += " (a tab? YAML is indented with blanks)"
	}
	return &Error{File: d.File, Line: line, Err: errors.New("YAML does not parse: " + text)}
}

// Errorf returns an *Error with the line of the field at path, or of the nearest field above it. What it says names the
// field.
func (d *Document) Errorf(path Path, format string, args ...any) error {
	return &Error{File: d.File, Line: d.LineOf(path), Err: fmt.Errorf(format, args...)}
}

// Place returns the line and the column of the file, from 1, at which the field at path, or the nearest one above it,
// begins. The column is 0 where it is not known.
func (d *Document) Place(path Path) (line, column int) {
	line = d.Line()
	node := d.Node()
	if node != nil {
		column = node.Column
	}
	for _, step := range path {
		key, value := Child(node, step)
		if key == nil {
			return line, column
		}
		line, column, node = d.Start+key.Line-1, key.Column, value
	}
	return line, column
}

// LineOf returns the line of Place.
func (d *Document) LineOf(path Path) int {
	if len(path) == 0 {
		return d.Line()
	}
	line, _ := d.Place(path)
	return line
}

// Node returns the root of the document's value, with lines counted from Start; nil when the YAML parser that knows lines
// does not read it. It must not be modified.
func (d *Document) Node() *yamlv3.Node {
	d.once.Do(func() {
		var root yamlv3.Node
		if yamlv3.Unmarshal(d.Text, &root) == nil && len(root.Content) == 1 {
			d.root = root.Content[0]
		}
	})
	return d.root
}

// Extent returns the node of the field at path, and the line of the file, from 1, on which whatever follows the field
// begins: the next key or element, or the line after the document. The node is nil when the field is not found.
func (d *Document) Extent(path Path) (*yamlv3.Node, int) {
	node := d.Node()
	end := d.Start + bytes.Count(d.Text, []byte("\n"))
	if !bytes.HasSuffix(d.Text, []byte("\n")) {
		end++
	}
	for _, step := range path {
		key, value := Child(node, step)
		if key == nil {
			return nil, end
		}
		if node.Kind == yamlv3.AliasNode {
			node = node.Alias
		}
		stride := 1
		if node.Kind == yamlv3.MappingNode {
			stride = 2
		}
		for i := 0; i < len(node.Content); i += stride {
			if node.Content[i] == key && i+stride < len(node.Content) {
				end = d.Start + node.Content[i+stride].Line - 1
			}
		}
		node = value
	}
	return node, end
}

// Child returns the node where a step begins (the key of a map, the element of a list) and the node it leads to; nil when
// there is none. What a map merges in with << is in it.
func Child(node *yamlv3.Node, step any) (key, value *yamlv3.Node) {
	const deepest = 10 // a map can be merged into itself
	for range deepest {
		if node == nil {
			return nil, nil
		}
		if node.Kind == yamlv3.AliasNode {
			node = node.Alias
		}
		var merged *yamlv3.Node
		switch s := step.(type) {
		case string:
			if node.Kind != yamlv3.MappingNode {
				return nil, nil
			}
			for i := 0; i+1 < len(node.Content); i += 2 {
				switch k := node.Content[i]; {
				case k.Value == s:
					return k, node.Content[i+1]
				case k.ShortTag() == "!!merge":
					merged = node.Content[i+1]
				}
			}
		case int:
			if node.Kind == yamlv3.SequenceNode && s < len(node.Content) {
				return node.Content[s], node.Content[s]
			}
		}
		node = merged
	}
	return nil, nil
}
