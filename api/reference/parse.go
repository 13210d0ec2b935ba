package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// apiPackage is the Go package of one group and version.
type apiPackage struct {
	// path is the import path's end, such as "config/v1alpha1".
	path  string
	doc   comment
	types []*apiType
}

// apiType is a type declared in a package.
type apiType struct {
	name string
	doc  comment
	// spec is what the type is; imports are the paths that the names in it stand for.
	spec    ast.Expr
	imports map[string]string
	fields  []field
	// values are the constants of an enumeration, in order.
	values []value
}

// field is a field of a struct as JSON has it. Inline ones have no name.
type field struct {
	name     string
	doc      comment
	typ      ast.Expr
	optional bool
}

// value is a constant of an enumeration.
type value struct {
	literal string
	doc     comment
}

// comment is a doc comment, taken apart.
type comment struct {
	text string
	// markers are what follows "+" on lines of its own.
	markers []string
}

// marker returns what follows name and "=" in the first such marker.
func (c comment) marker(name string) (string, bool) {
	for _, m := range c.markers {
		if rest, ok := strings.CutPrefix(m, name); ok && (rest == "" || rest[0] == '=') {
			return strings.TrimPrefix(rest, "="), true
		}
	}
	return "", false
}

func (p *apiPackage) groupVersion() string {
	group, _ := p.doc.marker("groupName")
	return group + "/" + filepath.Base(p.path)
}

func (p *apiPackage) pageName() string {
	return strings.ReplaceAll(p.groupVersion(), "/", "-") + ".md"
}

// isKind tells whether t is a kind of the API, and not the list of one.
func (t *apiType) isKind() bool {
	_, root := t.doc.marker("kubebuilder:object:root")
	return root && !strings.HasSuffix(t.name, "List")
}

// parsePackage reads the sources in a folder, without tests and generated files.
func parsePackage(folder string) (*apiPackage, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	p := &apiPackage{path: filepath.Join(filepath.Base(filepath.Dir(folder)), filepath.Base(folder))}
	values := map[string][]value{}
	for _, path := range paths {
		if name := filepath.Base(path); strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "zz_generated") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if file.Doc != nil {
			p.doc = parseComment(file.Doc)
		}
		if err := p.parseFile(file, values); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if _, ok := p.doc.marker("groupName"); !ok {
		return nil, fmt.Errorf("%s: no +groupName in the package's comment", folder)
	}
	for _, t := range p.types {
		t.values = values[t.name]
	}
	return p, nil
}

// parseFile adds the exported types of file to p, and the constants of each type to values.
func (p *apiPackage) parseFile(file *ast.File, values map[string][]value) error {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		name := filepath.Base(path)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = path
	}
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if _, isInterface := spec.Type.(*ast.InterfaceType); isInterface || !spec.Name.IsExported() {
					continue // no type of JSON
				}
				t := &apiType{name: spec.Name.Name, doc: parseComment(general.Doc), spec: spec.Type, imports: imports}
				if s, ok := spec.Type.(*ast.StructType); ok {
					t.fields = parseFields(s)
				}
				p.types = append(p.types, t)
			case *ast.ValueSpec:
				typ, ok := spec.Type.(*ast.Ident)
				if general.Tok != token.CONST || !ok || len(spec.Values) != 1 {
					continue
				}
				doc := spec.Doc
				if doc == nil && len(general.Specs) == 1 {
					doc = general.Doc
				}
				if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
					values[typ.Name] = append(values[typ.Name], value{literal: strings.Trim(literal.Value, `"`), doc: parseComment(doc)})
				}
			}
		}
	}
	return nil
}

// parseFields returns the fields that JSON has, without those that every object has.
func parseFields(s *ast.StructType) []field {
	var fields []field
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, options, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		if tag == "-" || tag == "metadata" {
			continue
		}
		if selector, ok := f.Type.(*ast.SelectorExpr); ok && selector.Sel.Name == "TypeMeta" {
			continue
		}
		doc := parseComment(f.Doc)
		_, optional := doc.marker("optional")
		fields = append(fields, field{
			name: tag, doc: doc, typ: f.Type,
			optional: optional || strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero"),
		})
	}
	return fields
}

// parseComment takes a doc comment apart. Nil is an empty one.
func parseComment(group *ast.CommentGroup) comment {
	var (
		c     comment
		lines []string
	)
	for line := range strings.Lines(group.Text()) {
		if marker, ok := strings.CutPrefix(line, "+"); ok {
			c.markers = append(c.markers, strings.TrimSpace(marker))
		} else {
			lines = append(lines, line)
		}
	}
	c.text = strings.TrimSpace(strings.Join(lines, ""))
	return c
}
