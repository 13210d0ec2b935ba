package cel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/dragoman-io/dragoman/customizations/script"
)

// Messages of cel-go that are put in other words here. The tests pin them.
var (
	undeclared      = regexp.MustCompile(`^undeclared reference to '([^']*)'`)
	undefinedField  = regexp.MustCompile(`^undefined field '([^']*)'`)
	noMatching      = regexp.MustCompile(`^found no matching overload for '([^']*)' applied to '([^']*)'`)
	unexpectedToken = regexp.MustCompile(
		`^(?:mismatched input|extraneous input|no viable alternative at input|token recognition error at:) ?'(.*)'(?: expecting .*)?$`)
	missingKey   = regexp.MustCompile(`^no such key: (.*)$`)
	missingIndex = regexp.MustCompile(`^index out of bounds: (.*)$`)
)

// syntaxProblems returns what the parser has to say.
func syntaxProblems(src *script.Source, issues *celgo.Issues) script.Problems {
	out := make(script.Problems, 0, len(issues.Errors()))
	for _, e := range issues.Errors() {
		message := strings.TrimPrefix(e.Message, "Syntax error: ")
		token := ""
		if m := unexpectedToken.FindStringSubmatch(message); m != nil {
			token = m[1]
		}
		switch {
		case token == "<EOF>":
			message = "the expression ends here, where something is missing"
		case token != "":
			message = "unexpected " + shorten(token) + syntaxHint(token)
		case strings.HasPrefix(message, "reserved identifier: "):
			message += syntaxHint(strings.TrimPrefix(message, "reserved identifier: "))
		case strings.HasPrefix(message, "expression recursion limit exceeded"),
			strings.HasPrefix(message, "max recursion depth exceeded"):
			message = "the expression is nested too deeply: want less nesting, or shorter chains of operators"
		case strings.Contains(message, "lookahead limit exceeded"), strings.Contains(message, "error recovery attempt limit"):
			continue // the parser gave up; what it found before stands in the other problems
		}
		out = append(out, problemAt(src, e, message))
	}
	if len(out) == 0 {
		out = append(out, &script.Problem{Severity: script.Error, Source: src, Message: "the expression cannot be parsed"})
	}
	return out
}

// typeProblems returns what the type-checker has to say.
func (l *library) typeProblems(env *celgo.Env, src *script.Source, tree *ast.AST, issues *celgo.Issues) script.Problems {
	t := typeErrors{library: l, env: env, tree: tree, variables: variableNames(src.Operation.Info())}
	out := make(script.Problems, 0, len(issues.Errors()))
	skip := consequences(tree.Expr(), issues.Errors())
	for _, e := range issues.Errors() {
		if message := t.message(e); message != "" && !skip[e.ExprID] {
			out = append(out, problemAt(src, e, message))
		}
	}
	return out
}

func problemAt(src *script.Source, e *common.Error, message string) *script.Problem {
	line, column := placeOf(src.Text, e.Location.Line(), e.Location.Column())
	return &script.Problem{
		Severity: script.Error, Source: src, Line: line, Column: column,
		Message: strings.Join(strings.Fields(message), " "),
	}
}

// typeErrors puts the type-checker's errors about an expression in other words.
type typeErrors struct {
	library   *library
	env       *celgo.Env
	tree      *ast.AST
	variables []string
}

// message returns what is wrong; "" when another error says the same.
func (t *typeErrors) message(e *common.Error) string {
	if m := undeclared.FindStringSubmatch(e.Message); m != nil {
		at := nodeAt(t.tree.Expr(), e.ExprID)
		if at != nil && at.Kind() == ast.CallKind {
			return t.noFunction(at.AsCall())
		}
		return t.noVariable(m[1])
	}
	if m := noMatching.FindStringSubmatch(e.Message); m != nil {
		if signature, ok := t.library.signatures[m[1]]; ok {
			return fmt.Sprintf("want %s, got %s", signature, m[2])
		}
		return fmt.Sprintf("%s is not defined for %s%s", displayName(m[1]), m[2], typeHint(m[1], splitTypes(m[2])))
	}
	if m := undefinedField.FindStringSubmatch(e.Message); m != nil {
		return t.noField(m[1], nodeAt(t.tree.Expr(), e.ExprID))
	}
	return e.Message
}

func (t *typeErrors) noVariable(name string) string {
	message := fmt.Sprintf("there is no variable %s", shorten(name))
	if near := script.Nearest(name, t.variables); near != "" {
		return message + fmt.Sprintf(": did you mean %s?", near)
	}
	return message + ": want one of " + strings.Join(t.variables, ", ")
}

func (t *typeErrors) noFunction(call ast.CallExpr) string {
	name := call.FunctionName()
	if target := call.Target(); call.IsMemberFunction() && target.Kind() == ast.IdentKind && !slices.Contains(t.variables, target.AsIdent()) {
		name = target.AsIdent() + "." + name
	}
	message := fmt.Sprintf("there is no function %s", shorten(name))
	if near := script.Nearest(name, t.library.functions); near != "" {
		message += fmt.Sprintf(": did you mean %s?", near)
	}
	return message
}

// noField is for objects whose schema is known.
func (t *typeErrors) noField(name string, at ast.Expr) string {
	message := fmt.Sprintf("there is no field %s", shorten(name))
	if at == nil {
		return message
	}
	chain, root := chainOf(at)
	if root == nil {
		return message
	}
	names := t.fields(root.AsIdent(), chain[:max(len(chain)-1, 0)])
	message += " in " + written(root, chain[:max(len(chain)-1, 0)], -1)
	if near := script.Nearest(name, names); near != "" {
		return message + fmt.Sprintf(": did you mean %s?", near)
	}
	if len(names) > 0 && len(names) <= 12 {
		return message + ": want one of " + strings.Join(names, ", ")
	}
	return message
}

// fields returns the names of the fields of what a chain from a variable leads to, as far as its type tells.
func (t *typeErrors) fields(variable string, chain []link) []string {
	var at *types.Type
	for _, v := range t.env.Variables() {
		if v.Name() == variable {
			at = v.Type()
		}
	}
	provider := t.env.CELTypeProvider()
	for _, l := range chain {
		if at == nil {
			return nil
		}
		field, ok := provider.FindStructFieldType(at.TypeName(), l.name)
		if !ok {
			return nil
		}
		at = field.Type
	}
	if at == nil {
		return nil
	}
	names, _ := provider.FindStructFieldNames(at.TypeName())
	slices.Sort(names)
	return names
}

// displayName returns the name of a function as it is written: the sign of an operator.
func displayName(function string) string {
	if sign, ok := operators.FindReverse(function); ok && sign != "" {
		return sign
	}
	switch function {
	case operators.Index, operators.OptIndex:
		return "[]"
	case operators.OptSelect:
		return ".?"
	case operators.Conditional:
		return "?:"
	}
	return strings.TrimPrefix(function, "@")
}

// problem returns the error of a run, at a node when id is not 0.
func (p *Program) problem(id int64, message string, cause error) *script.Problem {
	out := &script.Problem{Severity: script.Error, Source: p.source, Message: message, Err: cause}
	if s, err := p.syntax(); err == nil {
		if _, ok := s.tree.SourceInfo().GetOffsetRange(id); !ok {
			id = s.tree.Expr().ID()
		}
		out.Line, out.Column = s.place(id)
	}
	return out
}

// evaluationProblem returns the error of an expression that has no value.
func (p *Program) evaluationProblem(failed *types.Err, r *run) error {
	message := failed.Unwrap().Error()
	s, err := p.syntax()
	if err != nil {
		return p.problem(0, message, nil)
	}
	at := nodeAt(s.tree.Expr(), failed.NodeID())
	switch {
	case at == nil:
	case noOverload(failed):
		message = noOverloadMessage(at)
	default:
		if m := missingKey.FindStringSubmatch(message); m != nil {
			return p.absent(s, at, m[1], r)
		}
		if m := missingIndex.FindStringSubmatch(message); m != nil {
			message = fmt.Sprintf("there is no element %s: the list is shorter; if it may be, write [?%s] and .orValue(...)", m[1], m[1])
		}
	}
	return p.problem(failed.NodeID(), message, nil)
}

// noOverload tells whether err is cel-go's error of a function that is not there for its arguments.
func noOverload(err *types.Err) bool {
	return strings.HasPrefix(err.Unwrap().Error(), "no such overload")
}

// noOverloadMessage is for the operators that this package leaves to cel-go; mismatch is for the others.
func noOverloadMessage(at ast.Expr) string {
	if at.Kind() == ast.CallKind {
		switch name := at.AsCall().FunctionName(); name {
		case operators.LogicalAnd, operators.LogicalOr:
			return "want true or false on both sides of " + displayName(name)
		case operators.Conditional:
			return "want true or false before ?"
		default:
			return displayName(name) + " is not defined for these values"
		}
	}
	return "want another type here"
}

// mismatch returns the error of a function that is not there for its arguments.
func (c *call) mismatch(args ...ref.Val) ref.Val {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = describe(arg)
	}
	var message string
	switch name := displayName(c.function); {
	case len(args) == 2 && name != c.function:
		message = fmt.Sprintf("%s is not defined for %s and %s", name, words[0], words[1])
	case len(args) == 1 && name != c.function:
		message = fmt.Sprintf("%s is not defined for %s", name, words[0])
	default:
		message = fmt.Sprintf("%s is not defined for (%s)", name, strings.Join(words, ", "))
	}
	return types.NewErrWithNodeID(c.id, "%s", message+valueHint(c.function, args))
}

// absent returns the error of a field that is not there.
func (p *Program) absent(s *syntax, at ast.Expr, key string, r *run) error {
	chain, root := chainOf(at)
	if root == nil {
		return p.problem(at.ID(), fmt.Sprintf("there is no field %s", key), nil)
	}
	missing := slices.IndexFunc(chain, func(l link) bool { return l.name == key })
	if value, ok := variableOf(r, root); ok {
		var container any
		if missing, container = firstMissing(value, chain); missing > 0 && container != nil {
			return p.problem(chain[missing].id, fmt.Sprintf("%s is %s: it has no field %s",
				written(root, chain[:missing], -1), script.Describe(container), chain[missing].name), nil)
		}
	}
	if missing < 0 {
		return p.problem(at.ID(), fmt.Sprintf("there is no field %s in %s", key, written(root, chain, -1)), nil)
	}
	path := written(root, chain[:missing+1], -1)
	suggestion := fmt.Sprintf("%s.orValue(%s)", written(root, chain, 0), s.fallback(at, chain[len(chain)-1].name))
	return p.problem(chain[missing].id, fmt.Sprintf("%s is absent: if it may be, write %s", path, suggestion), nil)
}

// link is one step of a chain of fields: .name, ["name"] or [1].
type link struct {
	name  string
	index int // of an element, when there is no name
	id    int64
	dot   bool
}

// chainOf returns the fields that e selects, one out of the other, and what it selects them from. The root is nil when e
// is no such chain.
func chainOf(e ast.Expr) (chain []link, root ast.Expr) {
	for {
		switch e.Kind() {
		case ast.SelectKind:
			chain = append(chain, link{name: e.AsSelect().FieldName(), id: e.ID(), dot: true})
			e = e.AsSelect().Operand()
		case ast.CallKind:
			call := e.AsCall()
			if call.FunctionName() != operators.Index || call.Args()[1].Kind() != ast.LiteralKind {
				return nil, nil
			}
			switch key := call.Args()[1].AsLiteral().(type) {
			case types.String:
				chain = append(chain, link{name: string(key), id: e.ID()})
			case types.Int:
				chain = append(chain, link{index: int(key), id: e.ID()})
			default:
				return nil, nil
			}
			e = call.Args()[0]
		case ast.IdentKind:
			slices.Reverse(chain)
			return chain, e
		default:
			return nil, nil
		}
	}
}

// variableOf returns the value of a variable of the run; loops have variables of their own.
func variableOf(r *run, root ast.Expr) (any, bool) {
	name := root.AsIdent()
	if name == nextVariable && !r.asked || !slices.Contains(variableNames(r.program.info), name) {
		return nil, false
	}
	return r.ResolveName(name)
}

// firstMissing returns which field of chain is the first that is not there, -1 when all are, and what it should be a
// field of when that is no map.
func firstMissing(value any, chain []link) (int, any) {
	for i, l := range chain {
		if list, ok := value.([]any); ok && l.name == "" && l.index >= 0 && l.index < len(list) {
			value = list[l.index]
			continue
		}
		m, ok := value.(map[string]any)
		if !ok {
			return i, value
		}
		if value, ok = m[l.name]; !ok {
			return i, nil
		}
	}
	return -1, nil
}

// written returns the chain as it is written, with .? or [?] at the optional link.
func written(root ast.Expr, chain []link, optional int) string {
	var b strings.Builder
	b.WriteString(root.AsIdent())
	for i, l := range chain {
		switch {
		case l.dot && i == optional:
			b.WriteString(".?" + l.name)
		case l.dot:
			b.WriteString("." + l.name)
		case l.name == "":
			fmt.Fprintf(&b, "[%d]", l.index)
		case i == optional:
			fmt.Fprintf(&b, "[?%q]", l.name)
		default:
			fmt.Fprintf(&b, "[%q]", l.name)
		}
	}
	return b.String()
}

// fallback returns what a suggestion has for an absent field: what fits to its other operand, and else what Kubernetes
// has for fields of that name.
func (s *syntax) fallback(at ast.Expr, field string) string {
	if parent := parentOf(s.tree.Expr(), at.ID()); parent != nil && parent.Kind() == ast.CallKind {
		for _, other := range parent.AsCall().Args() {
			if other.Kind() == ast.ListKind && other.AsList().Size() > 0 {
				other = other.AsList().Elements()[0] // of x in [...]
			}
			if other.Kind() != ast.LiteralKind {
				continue
			}
			switch other.AsLiteral().(type) {
			case types.String:
				return `""`
			case types.Bool:
				return "false"
			case types.Null:
				return "null"
			}
		}
	}
	if field == "replicas" || field == "parallelism" {
		return "1"
	}
	return "0"
}

func parentOf(e ast.Expr, id int64) ast.Expr {
	for part := range parts(e) {
		if part.ID() == id {
			return e
		}
		if found := parentOf(part, id); found != nil {
			return found
		}
	}
	return nil
}
