package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// page returns the page of p: its kinds, then its other types. Types of the other packages are linked to.
func page(p *apiPackage, packages []*apiPackage) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n%s\n", p.groupVersion(), strings.Replace(p.doc.text, "Package "+filepath.Base(p.path)+" h", "H", 1))
	types := slices.DeleteFunc(slices.Clone(p.types), func(t *apiType) bool { return strings.HasSuffix(t.name, "List") })
	slices.SortStableFunc(types, func(a, b *apiType) int {
		switch {
		case a.isKind() && !b.isKind():
			return -1
		case b.isKind() && !a.isKind():
			return 1
		}
		return 0
	})
	for _, t := range types {
		fmt.Fprintf(&out, "\n## %s\n\n%s\n", t.name, t.doc.text)
		if line := resourceLine(t.doc); line != "" {
			fmt.Fprintf(&out, "\n%s\n", line)
		}
		for _, rule := range rules(t.doc) {
			fmt.Fprintf(&out, "\n%s\n", rule)
		}
		if len(t.fields) > 0 {
			out.WriteString("\n| field | type | |\n|---|---|---|\n")
		}
		for _, f := range t.fields {
			name := "`" + f.name + "`"
			if f.name == "" {
				name = "*the fields of*"
			}
			fmt.Fprintf(&out, "| %s | %s | %s |\n", name, typeName(f.typ, t, p, packages), describe(f))
		}
		if len(t.values) > 0 {
			out.WriteString("\n| value | |\n|---|---|\n")
		}
		for _, v := range t.values {
			fmt.Fprintf(&out, "| `%s` | %s |\n", v.literal, cell(v.doc.text))
		}
	}
	return out.Bytes()
}

// resourceLine says how kubectl finds a kind; empty for other types.
func resourceLine(doc comment) string {
	resource, ok := doc.marker("kubebuilder:resource:scope")
	if !ok {
		return ""
	}
	scope, options, _ := strings.Cut(resource, ",")
	line := map[string]string{"Cluster": "Cluster-scoped", "Namespaced": "Namespaced"}[scope]
	if _, after, ok := strings.Cut(options, "shortName="); ok {
		shortName, _, _ := strings.Cut(after, ",")
		line += ", short name `" + shortName + "`"
	}
	return line + "."
}

// typeName names the type expr, found in t of p, with links to the types that have a section.
func typeName(expr ast.Expr, t *apiType, p *apiPackage, packages []*apiPackage) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return typeName(expr.X, t, p, packages)
	case *ast.ArrayType:
		if item, ok := expr.Elt.(*ast.Ident); ok && item.Name == "byte" {
			return "base64 string"
		}
		return "list of " + typeName(expr.Elt, t, p, packages)
	case *ast.MapType:
		return "map of " + typeName(expr.Value, t, p, packages)
	case *ast.Ident:
		if slices.ContainsFunc(p.types, func(t *apiType) bool { return t.name == expr.Name }) {
			return fmt.Sprintf("[%s](%s)", expr.Name, anchor(expr.Name))
		}
		return expr.Name
	case *ast.SelectorExpr:
		name := expr.Sel.Name
		if pkg, ok := expr.X.(*ast.Ident); ok {
			path := t.imports[pkg.Name]
			i := slices.IndexFunc(packages, func(p *apiPackage) bool { return strings.HasSuffix(path, "/api/"+filepath.ToSlash(p.path)) })
			if i >= 0 {
				return fmt.Sprintf("[%s](%s%s)", name, packages[i].pageName(), anchor(name))
			}
		}
		return name
	}
	return "any"
}

// anchor is the address of a type's section within its page.
func anchor(name string) string { return "#" + strings.ToLower(name) }

// describe returns the cell of a field: what it is, and what its value has to keep to.
func describe(f field) string {
	text := []string{f.doc.text}
	for _, constraint := range []struct{ marker, sentence string }{
		{"kubebuilder:default", "Default: `%s`."},
		{"kubebuilder:validation:Enum", "One of `%s`."},
		{"kubebuilder:validation:Minimum", "At least %s."},
		{"kubebuilder:validation:Maximum", "At most %s."},
		{"kubebuilder:validation:MinLength", "At least %s characters."},
		{"kubebuilder:validation:MaxLength", "At most %s characters."},
		{"kubebuilder:validation:Pattern", "Matches `%s`."},
		{"kubebuilder:validation:MinItems", "At least %s items."},
		{"kubebuilder:validation:MaxItems", "At most %s items."},
		{"kubebuilder:validation:items:MinLength", "Items of at least %s characters."},
		{"kubebuilder:validation:items:MaxLength", "Items of at most %s characters."},
		{"kubebuilder:validation:items:Pattern", "Items match `%s`."},
		{"listMapKey", "No two items have the same `%s`."},
	} {
		if argument, ok := f.doc.marker(constraint.marker); ok {
			argument = strings.ReplaceAll(strings.Trim(argument, "`\""), ";", "`, `")
			sentence := fmt.Sprintf(constraint.sentence, argument)
			if singular, ok := strings.CutSuffix(sentence, "s."); ok && argument == "1" {
				sentence = singular + "."
			}
			text = append(text, sentence)
		}
	}
	text = append(text, rules(f.doc)...)
	if !f.optional && f.name != "" {
		text = append(text, "Required.")
	}
	return cell(strings.Join(text, " "))
}

var ruleMessage = regexp.MustCompile(`message="([^"]*)"`)

// rules returns the messages of the CEL rules in doc as sentences.
func rules(doc comment) []string {
	var sentences []string
	for _, marker := range doc.markers {
		if message := ruleMessage.FindStringSubmatch(marker); message != nil && strings.HasPrefix(marker, "kubebuilder:validation:XValidation") {
			sentences = append(sentences, "Rule: "+message[1]+".")
		}
	}
	return sentences
}

// cell makes text fit into a cell of a table. What is in backquotes stays as it is.
func cell(text string) string {
	parts := strings.Split(strings.Join(strings.Fields(text), " "), "`")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "|", `\|`)
		if i%2 == 0 {
			parts[i] = strings.NewReplacer("<", "&lt;", "*", `\*`).Replace(parts[i])
		}
	}
	return strings.Join(parts, "`")
}
