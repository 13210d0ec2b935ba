package cel

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types/ref"
)

// reservedHints are what CEL has in place of what words mean in other languages.
var reservedHints = map[string]string{
	"if": "condition ? value : otherwise", "else": "condition ? value : otherwise",
	"let": "cel.bind(name, value, expression)", "var": "cel.bind(name, value, expression)",
	"const": "cel.bind(name, value, expression)",
	"for":   "list.map(x, expression)", "while": "list.map(x, expression)", "loop": "list.map(x, expression)",
	"function": "cel.bind(name, value, expression)",
}

// syntaxHint returns what to write in place of a word or sign that stands where it cannot; "" when that is not known.
func syntaxHint(word string) string {
	if word == "=" {
		return ": write == to compare; nothing can be assigned"
	}
	if hint, ok := reservedHints[word]; ok {
		return ": write " + hint
	}
	return ""
}

var arithmetic = []string{operators.Add, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo}

// typeHint returns how to mend a call of a function that is not there for arguments of the types.
func typeHint(function string, args []string) string {
	switch {
	case function == operators.Conditional && len(args) == 3 && (args[0] == "bool" || args[0] == "dyn"):
		return ": write dyn(...) around one of the two values"
	case slices.Contains(arithmetic, function) && len(args) == 2 && isNumberType(args[0]) && isNumberType(args[1]):
		return ": write int(...) or double(...) around one of them"
	}
	return ""
}

func isNumberType(name string) bool { return name == "int" || name == "uint" || name == "double" }

// valueHint is typeHint for values.
func valueHint(function string, args []ref.Val) string {
	names := make([]string, len(args))
	for i, arg := range args {
		names[i] = arg.Type().TypeName()
	}
	if function == operators.Conditional {
		return ""
	}
	return typeHint(function, names)
}

// splitTypes splits what the type-checker says of arguments: (int, map(string, dyn)), or string.(int) of a method.
func splitTypes(text string) []string {
	target, args, ok := strings.Cut(text, ".(")
	var out []string
	if ok {
		out = append(out, target)
	} else {
		args = strings.TrimPrefix(text, "(")
	}
	depth, from := 0, 0
	args = strings.TrimSuffix(args, ")")
	for i, r := range args {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, args[from:i])
				from = i + len(", ")
			}
		}
	}
	if from < len(args) {
		out = append(out, args[from:])
	}
	return out
}

// consequences returns the nodes whose names are not declared only because a function is not: it may be a macro that
// declares the names among its arguments, and the name before its dot may be a part of its own.
func consequences(tree ast.Expr, errors []*common.Error) map[int64]bool {
	out := map[int64]bool{}
	for _, e := range errors {
		at := nodeAt(tree, e.ExprID)
		if at == nil || at.Kind() != ast.CallKind || !undeclared.MatchString(e.Message) {
			continue
		}
		call := at.AsCall()
		if call.IsMemberFunction() && call.Target().Kind() == ast.IdentKind {
			out[call.Target().ID()] = true
		}
		var declares []string
		for _, arg := range call.Args() {
			if arg.Kind() == ast.IdentKind {
				declares = append(declares, arg.AsIdent())
			}
			mark(arg, declares, out)
		}
	}
	return out
}

// mark marks the identifiers in e that have one of the names.
func mark(e ast.Expr, names []string, marked map[int64]bool) {
	if e.Kind() == ast.IdentKind && slices.Contains(names, e.AsIdent()) {
		marked[e.ID()] = true
	}
	for part := range parts(e) {
		mark(part, names, marked)
	}
}
