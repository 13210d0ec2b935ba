package cases

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	yamlv3 "go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// document is one YAML document of a file. Its values are decoded as Kubernetes decodes manifests; its nodes, which know
// their lines, are parsed only when a place is asked for.
type document struct {
	file string
	// start is the line of the file on which text begins.
	start int
	text  []byte

	once sync.Once
	root *yamlv3.Node
}

// split returns the documents of a file, without the empty ones.
func split(file string, data []byte) []*document {
	var documents []*document
	var current []byte
	start, line := 1, 0
	flush := func() {
		if hasContent(current) {
			documents = append(documents, &document{file: file, start: start, text: current})
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

// line returns the line of the first key of the document.
func (d *document) line() int {
	line := d.start
	for text := range bytes.Lines(d.text) {
		if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] != '#' {
			return line
		}
		line++
	}
	return d.start
}

// decode returns the document's value, with whole numbers as int64. An error may come with a value: that of a document
// in which a key appears twice.
func (d *document) decode() (any, error) {
	var value any
	if text := bytes.TrimSpace(d.text); len(text) > 0 && text[0] == '{' && utiljson.Unmarshal(text, &value) == nil {
		return value, nil
	}
	data, err := yaml.YAMLToJSONStrict(d.text)
	if err != nil {
		err = d.syntaxError(err)
		var lenientErr error
		if data, lenientErr = yaml.YAMLToJSON(d.text); lenientErr != nil {
			return nil, err
		}
	}
	if jsonErr := utiljson.Unmarshal(data, &value); jsonErr != nil {
		return nil, d.errorf(nil, "%w", jsonErr)
	}
	return value, err
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// syntaxError returns err with the line of the file instead of that of the document.
func (d *document) syntaxError(err error) error {
	text := err.Error()
	for _, prefix := range []string{"error converting YAML to JSON: ", "yaml: ", "unmarshal errors:\n  "} {
		text = strings.TrimPrefix(text, prefix)
	}
	line := d.start
	if found := yamlLine.FindStringSubmatchIndex(text); found != nil {
		n, _ := strconv.Atoi(text[found[2]:found[3]])
		line, text = d.start+n-1, text[:found[0]]+text[found[1]:]
	}
	return fmt.Errorf("%s:%d: YAML does not parse: %s", d.file, line, strings.Join(strings.Fields(text), " "))
}

// errorf returns an error that begins with the place of the field at path, or of the nearest field above it.
func (d *document) errorf(path Path, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", d.file, d.lineOf(path), fmt.Errorf(format, args...))
}

// lineOf returns the line of the file on which the field at path, or the nearest one above it, stands.
func (d *document) lineOf(path Path) int {
	if len(path) == 0 {
		return d.line()
	}
	line := d.line()
	node := d.node()
	for _, step := range path {
		key, value := child(node, step)
		if key == nil {
			return line
		}
		line, node = d.start+key.Line-1, value
	}
	return line
}

// node returns the root of the document's value; nil when the YAML parser that knows lines does not read it.
func (d *document) node() *yamlv3.Node {
	d.once.Do(func() {
		var root yamlv3.Node
		if yamlv3.Unmarshal(d.text, &root) == nil && len(root.Content) == 1 {
			d.root = root.Content[0]
		}
	})
	return d.root
}

// child returns the node where a step begins (the key of a map, the element of a list) and the node it leads to; nil when
// there is none.
func child(node *yamlv3.Node, step any) (key, value *yamlv3.Node) {
	if node == nil {
		return nil, nil
	}
	if node.Kind == yamlv3.AliasNode {
		node = node.Alias
	}
	switch s := step.(type) {
	case string:
		if node.Kind != yamlv3.MappingNode {
			return nil, nil
		}
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == s {
				return node.Content[i], node.Content[i+1]
			}
		}
	case int:
		if node.Kind == yamlv3.SequenceNode && s < len(node.Content) {
			return node.Content[s], node.Content[s]
		}
	}
	return nil, nil
}
