package lua

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// call returns what is known about the results of a call.
func (f *flow) call(e *ast.FuncCallExpr) []knowledge {
	if e.Receiver != nil {
		return []knowledge{f.method(e)}
	}
	called := f.expr(e.Func)
	switch {
	case called.function != nil:
		args := make([]knowledge, 0, len(e.Args))
		for _, arg := range e.Args {
			args = append(args, f.expr(arg))
		}
		return f.inline(called.function, args)
	case called.library != "" && !called.isNil():
		return []knowledge{f.libraryCall(called.library, e)}
	}
	f.escape(e.Args)
	return []knowledge{{}}
}

// escape gives values to a function that is not known: it may see to it that they are there.
func (f *flow) escape(args []ast.Expr) {
	for _, arg := range args {
		k := f.operand(arg)
		f.now.know(k)
		if k.function != nil {
			f.follow(k.function)
		}
	}
}

// follow looks at a function that somebody else calls, some time.
func (f *flow) follow(function *closure) {
	before := f.now.clone()
	f.exhausted(before.size())
	f.quiet++
	f.enter(function, nil)
	f.quiet--
	f.now = before
}

// enter follows a call of a function of the script, and returns its exits. What is known afterwards is undefined. There
// are no exits when the call is not followed.
func (f *flow) enter(function *closure, args []knowledge) []exit {
	recursive := slices.ContainsFunc(f.calls, func(c *frame) bool { return c.function == function.function })
	if recursive || len(f.calls) >= maxCalls || f.exhausted(1) {
		return nil
	}
	scope := f.scope
	top := &frame{function: function.function}
	f.calls = append(f.calls, top)
	f.scope = &names{outer: function.scope}
	for i, name := range function.function.ParList.Names {
		k := knowledge{}
		if i < len(args) {
			k = args[i]
		} else if args != nil && !function.open {
			k = nothing
		}
		f.declare(name, k)
	}
	f.statements(function.function.Stmts)
	if !f.now.over {
		top.exits = append(top.exits, exit{state: f.now})
	}
	f.scope = scope
	f.calls = f.calls[:len(f.calls)-1]
	return top.exits
}

// inline returns what is known about the results of a call of a function of the script.
func (f *flow) inline(function *closure, args []knowledge) []knowledge {
	before := f.now.clone()
	f.exhausted(before.size())
	exits := f.enter(function, args)
	if len(exits) == 0 {
		over := f.now.over && f.now != before
		f.now = before
		f.now.over = f.now.over || over
		for _, arg := range args {
			f.use(arg)
			f.now.know(arg)
		}
		return []knowledge{{}}
	}
	n, single := 0, true
	for _, e := range exits {
		n = max(n, len(e.values))
		single = single && len(e.values) <= 1
	}
	results := make([]knowledge, n)
	for i := range results {
		for _, e := range exits {
			f.exhausted(e.state.size())
		}
		results[i] = joinResults(before, exits, i, single)
	}
	f.now = nil
	for _, e := range exits {
		f.now = join(f.now, e.state)
	}
	return results
}

// joinResults returns what is known about one result of a function that has several exits, and what it tells about the
// places that the function has looked at.
func joinResults(before *state, exits []exit, i int, single bool) knowledge {
	var out knowledge
	var yes, no []string
	var hasYes, hasNo, mayBeNil bool
	for n, e := range exits {
		k := nothing
		if i < len(e.values) {
			k = e.values[i]
		}
		mayBeNil = mayBeNil || k.isNil() || e.state.mayBeNil(k)
		there := added(before, e.state)
		if k.truth != isFalse {
			facts := append(slices.Clone(there), k.yes...)
			if k.place != "" && !k.defaulted {
				facts = append(facts, k.place)
			}
			if yes = both(facts, yes); !hasYes {
				yes, hasYes = facts, true
			}
		}
		if k.truth != isTrue {
			facts := append(slices.Clone(there), k.no...)
			if no = both(facts, no); !hasNo {
				no, hasNo = facts, true
			}
		}
		if n == 0 {
			out = k
		} else {
			out = joinKnowledge(out, k)
		}
	}
	out.yes, out.no = yes, no
	if out.absent = mayBeNil && single && out.schema != nil; out.absent {
		out.written = ""
	}
	return out
}

// method is a call x:name(...).
func (f *flow) method(e *ast.FuncCallExpr) knowledge {
	receiver := f.operand(e.Receiver)
	f.need(receiver, e.Receiver, "calling "+e.Method+" of nil", "")
	switch form := receiver.schema.Form(); form {
	case script.FormNumber, script.FormBoolean:
		f.error(e.Receiver, "%s is %s: it has no function %s", f.title(receiver, e.Receiver), form, e.Method)
	case script.FormText:
		f.escape(e.Args)
		return knowledge{schema: stringResults[e.Method]}
	}
	if receiver.made != nil {
		if field := receiver.made.field(e.Method); field.function != nil {
			f.escape(e.Args)
			f.follow(field.function)
			return knowledge{}
		}
	}
	f.escape(e.Args)
	return knowledge{}
}

// stringResults are the schemas of what functions of the library string return, where it is always the same.
var stringResults = map[string]*script.Schema{
	"format": script.TextSchema, "lower": script.TextSchema, "upper": script.TextSchema, "sub": script.TextSchema,
	"rep": script.TextSchema, "reverse": script.TextSchema, "gsub": script.TextSchema, "len": script.NumberSchema,
}

// libraryCall is a call of a function of the library.
func (f *flow) libraryCall(name string, e *ast.FuncCallExpr) knowledge {
	module, field, _ := strings.Cut(name, ".")
	switch module {
	case "kube":
		return f.kubeCall(field, e)
	case "string":
		return f.stringCall(field, e)
	case "table":
		return f.tableCall(field, e)
	case "math":
		for _, arg := range e.Args {
			f.number(f.operand(arg), arg, name)
		}
		return knowledge{schema: script.NumberSchema, truth: isTrue}
	}
	switch name {
	case "require":
		if path, ok := only(e.Args).(*ast.StringExpr); ok {
			return knowledge{library: path.Value, truth: isTrue}
		}
	case "error":
		f.escape(e.Args)
		f.now.over = true
		return knowledge{}
	case "assert":
		return f.assertCall(e)
	case "pcall", "xpcall":
		f.quiet++
		defer func() { f.quiet-- }()
	case "ipairs", "pairs", "next", "unpack":
		if len(e.Args) > 0 {
			f.tableArgument(name, f.operand(e.Args[0]), e.Args[0])
		}
		return knowledge{}
	case "type", "tostring":
		for _, arg := range e.Args {
			f.operand(arg)
		}
		return knowledge{schema: script.TextSchema, truth: isTrue}
	}
	f.escape(e.Args)
	return knowledge{}
}

func (f *flow) assertCall(e *ast.FuncCallExpr) knowledge {
	if len(e.Args) == 0 {
		return knowledge{}
	}
	k, yes, _ := f.decide(e.Args[0])
	f.now = yes
	for _, arg := range e.Args[1:] {
		f.mute++ // It is evaluated, but only matters when the assertion does not hold.
		f.operand(arg)
		f.mute--
	}
	k.absent = false
	return k
}

func (f *flow) tableArgument(name string, k knowledge, e ast.Expr) {
	instead := ""
	if name == "ipairs" || name == "pairs" || name == "next" {
		instead = fmt.Sprintf("%s(%s or {})", name, show(e))
	}
	f.need(k, e, name+" of nil", instead)
	switch form := k.schema.Form(); {
	case form == script.FormText || form == script.FormNumber || form == script.FormBoolean:
		f.error(e, "%s is %s: %s wants a table", f.title(k, e), form, name)
	case form == script.FormObject && name == "ipairs":
		f.error(e, "%s is an object: ipairs finds nothing in it, want pairs", f.title(k, e))
	}
}

// iterated returns what is known about what a loop goes through, and about the keys and elements that it finds there.
func (f *flow) iterated(exprs []ast.Expr) (over, key, element knowledge) {
	call, ok := only(exprs).(*ast.FuncCallExpr)
	if !ok || call.Receiver != nil || len(call.Args) != 1 {
		f.escape(exprs)
		return knowledge{}, knowledge{}, knowledge{}
	}
	name := f.expr(call.Func).library
	if name != "ipairs" && name != "pairs" {
		f.escape(exprs)
		return knowledge{}, knowledge{}, knowledge{}
	}
	over = f.operand(call.Args[0])
	f.tableArgument(name, over, call.Args[0])
	key.truth = isTrue
	if name == "ipairs" || over.schema.Form() == script.FormList {
		key.schema = script.NumberSchema
	}
	if over.made != nil && over.schema == nil {
		element = over.made.element()
		return knowledge{}, key, knowledge{schema: element.schema, place: "", made: element.made, truth: unknown}
	}
	element.schema = over.schema.Element()
	return over, key, element
}

func (f *flow) stringCall(name string, e *ast.FuncCallExpr) knowledge {
	for i, arg := range e.Args {
		k := f.operand(arg)
		if i > 0 || name == "char" {
			continue
		}
		f.need(k, arg, "string."+name+" of nil", fmt.Sprintf(`(%s or "")`, show(arg)))
		switch form := k.schema.Form(); form {
		case script.FormObject, script.FormList, script.FormBoolean:
			f.error(arg, "%s is %s: string.%s wants a string", f.title(k, arg), form, name)
		}
	}
	return knowledge{schema: stringResults[name]}
}

func (f *flow) tableCall(name string, e *ast.FuncCallExpr) knowledge {
	if len(e.Args) == 0 {
		return knowledge{}
	}
	list := f.expr(e.Args[0])
	f.tableArgument("table."+name, list, e.Args[0])
	var last knowledge
	for _, arg := range e.Args[1:] {
		last = f.operand(arg)
	}
	switch name {
	case "insert":
		if list.made != nil && len(e.Args) > 1 {
			list.made.elements = append(list.made.elements, entry{at: e.Args[len(e.Args)-1], value: last})
		}
		f.wrote(list, e)
	case "remove":
		f.wrote(list, e)
		return knowledge{schema: list.schema.Element()}
	case "sort":
		f.wrote(list, e)
		if last.function != nil {
			f.compare(last.function, list)
		}
	case "concat":
		f.use(list)
		return knowledge{schema: script.TextSchema, truth: isTrue}
	default:
		f.use(list)
	}
	return knowledge{}
}

// compare follows a function that table.sort calls with elements of a list.
func (f *flow) compare(function *closure, list knowledge) {
	before := f.now.clone()
	f.exhausted(before.size())
	element := knowledge{schema: list.schema.Element()}
	if list.made != nil && list.schema == nil {
		element = list.made.element()
	}
	f.enter(function, []knowledge{element, element})
	f.now = before
}

// kubeCall is a call of a function of the library kube.
func (f *flow) kubeCall(name string, e *ast.FuncCallExpr) knowledge {
	args := make([]knowledge, len(e.Args))
	function := f.program.engine.library.kubeFunction(name)
	for i, arg := range e.Args {
		args[i] = f.operand(arg)
		if function == nil || len(function.Params) == 0 {
			continue
		}
		param := function.Params[min(i, len(function.Params)-1)]
		if !param.Optional && param.Type != kube.Any {
			f.need(args[i], arg, fmt.Sprintf("nil as the %s of kube.%s", param.Name, name), "")
		}
	}
	if function == nil {
		return knowledge{}
	}
	f.checkPaths(function, e.Args, args)
	switch function.Name {
	case "get":
		return f.got(e.Args, args)
	case "orElse":
		return f.orElse(args)
	}
	switch function.Result {
	case kube.String:
		return knowledge{schema: script.TextSchema, truth: isTrue}
	case kube.Int, kube.Double:
		return knowledge{schema: script.NumberSchema, truth: isTrue}
	case kube.Bool:
		return knowledge{schema: script.BooleanSchema}
	}
	return knowledge{}
}

// got is what kube.get returns.
func (f *flow) got(exprs []ast.Expr, args []knowledge) knowledge {
	if len(args) < 2 || args[1].text == nil || args[0].schema == nil {
		return knowledge{}
	}
	out := knowledge{schema: args[0].schema, place: args[0].place}
	for name := range strings.SplitSeq(*args[1].text, ".") {
		if out.schema == nil || out.schema.Form() != script.FormObject {
			return knowledge{}
		}
		field, ok := out.schema.Field(name)
		if !ok {
			return knowledge{} // said by checkPaths
		}
		out.schema, out.place = field, below(out.place, name)
	}
	out.absent = out.schema != nil && out.place != ""
	if len(exprs) > 2 && !args[2].isNil() {
		return f.orElse([]knowledge{out, args[2]})
	}
	return out
}

// orElse is what kube.orElse returns.
func (f *flow) orElse(args []knowledge) knowledge {
	if len(args) < 2 || args[0].schema == nil || args[1].isNil() {
		return knowledge{}
	}
	out := args[0]
	out.absent, out.defaulted, out.text, out.truth, out.yes, out.no = f.now.mayBeNil(args[1]), true, nil, unknown, nil, nil
	return out
}

// checkPaths reports paths, among the arguments of a function of the library, that lead to no field.
func (f *flow) checkPaths(function *kube.Function, exprs []ast.Expr, args []knowledge) {
	if len(function.Params) == 0 {
		return
	}
	status, _ := f.object.Field("status")
	for i, expr := range exprs {
		switch function.Params[min(i, len(function.Params)-1)].Path {
		case kube.Object:
			f.checkPath(expr, f.object, "the object")
		case kube.Status:
			f.checkPath(expr, status, "the object's status")
		case kube.MemberStatus:
			f.checkPath(expr, f.object.Reported(), "a member's status")
		case kube.Argument:
			f.checkPath(expr, args[0].schema, show(exprs[0]))
		}
	}
}

func (f *flow) checkPath(expr ast.Expr, from *script.Schema, where string) {
	if table, ok := expr.(*ast.TableExpr); ok {
		for _, field := range table.Fields {
			f.checkPath(field.Value, from, where)
		}
		return
	}
	path, ok := expr.(*ast.StringExpr)
	if !ok || path.Value == "" {
		return
	}
	f.path(path, from, where)
}

// path reports a path that leads to no field. It is only a warning: the library passes over what is absent.
func (f *flow) path(path *ast.StringExpr, from *script.Schema, where string) {
	for name := range strings.SplitSeq(path.Value, ".") {
		name, isList := strings.CutSuffix(name, "[]")
		if from.Form() != script.FormObject {
			return
		}
		field, ok := from.Field(name)
		if !ok {
			f.noField(script.Warning, path, where, name, from)
			return
		}
		from, where = field, where+"."+name
		if isList {
			from, where = from.Element(), where+"[]"
		}
	}
}
