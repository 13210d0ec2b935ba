package cel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// checkPaths reports paths, among the arguments of a function of the library, that lead to no field.
func (c *fieldCheck) checkPaths(f *kube.Function, args []ast.Expr, in scope) {
	for i, arg := range args {
		if len(f.Params) == 0 || f.Params[min(i, len(f.Params)-1)].Path == "" {
			continue
		}
		var from *script.Schema
		var where string
		switch f.Params[min(i, len(f.Params)-1)].Path {
		case kube.Object:
			from, where = c.object, "object"
		case kube.Status:
			from, _ = c.object.Field("status")
			where = "object.status"
		case kube.MemberStatus:
			from, where = c.object.Reported(), "status"
		case kube.Argument:
			from, where = c.infer(args[0], in), c.name(args[0])
		}
		c.checkPath(arg, from, where)
	}
}

func (c *fieldCheck) checkPath(arg ast.Expr, from *script.Schema, where string) {
	if arg.Kind() == ast.ListKind {
		for _, element := range arg.AsList().Elements() {
			c.checkPath(element, from, where)
		}
		return
	}
	path, ok := constantText(arg)
	if !ok || path == "" {
		return
	}
	for name := range strings.SplitSeq(path, ".") {
		if from.Form() != script.FormObject {
			return
		}
		field, ok := from.Field(name)
		if !ok {
			c.noField(arg.ID(), where, name, from, true)
			return
		}
		from, where = field, where+"."+name
	}
}

// checkWritten reports fields that the result sets and that no object has.
func (c *fieldCheck) checkWritten(e ast.Expr, in scope) {
	var target *script.Schema
	switch c.info.Result {
	case interpreter.ResultObject:
		target = c.object
	case interpreter.ResultStatus:
		target = c.object.Reported()
	}
	c.checkShape(e, shapes[c.info.Result], in)
	for _, result := range results(e) {
		if result.Kind() == ast.ListKind && c.info.Result == interpreter.ResultObject {
			c.checkPatch(result, target)
		} else {
			c.checkLiteral(result, target, string(c.info.Result))
		}
	}
}

// results returns the expressions that the value of e may come from.
func results(e ast.Expr) []ast.Expr {
	switch {
	case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Conditional:
		return append(results(e.AsCall().Args()[1]), results(e.AsCall().Args()[2])...)
	case isBind(e):
		return results(e.AsComprehension().Result())
	}
	return []ast.Expr{e}
}

func (c *fieldCheck) checkLiteral(e ast.Expr, of *script.Schema, where string) {
	switch e.Kind() {
	case ast.ListKind:
		for i, element := range e.AsList().Elements() {
			c.checkLiteral(element, of.Element(), fmt.Sprintf("%s[%d]", where, i))
		}
	case ast.MapKind:
		if of.Form() != script.FormObject {
			return
		}
		for _, entry := range e.AsMap().Entries() {
			name, ok := constantText(entry.AsMapEntry().Key())
			if !ok {
				continue
			}
			field, ok := of.Field(name)
			if !ok {
				c.noField(entry.AsMapEntry().Key().ID(), where, name, of, false)
				continue
			}
			c.checkLiteral(entry.AsMapEntry().Value(), field, where+"."+name)
		}
	}
}

func (c *fieldCheck) checkPatch(patch ast.Expr, of *script.Schema) {
	for _, op := range patch.AsList().Elements() {
		if op.Kind() != ast.MapKind {
			continue
		}
		for _, entry := range op.AsMap().Entries() {
			key, _ := constantText(entry.AsMapEntry().Key())
			path, ok := constantText(entry.AsMapEntry().Value())
			if key == "path" && ok {
				c.checkPointer(entry.AsMapEntry().Value(), path, of)
			}
		}
	}
}

func (c *fieldCheck) checkPointer(at ast.Expr, path string, from *script.Schema) {
	tokens, err := parsePointer(path)
	if err != nil {
		c.problem(at.ID(), "%v", err)
		return
	}
	where := "object"
	for _, token := range tokens {
		switch from.Form() {
		case script.FormList:
			from, where = from.Element(), where+"["+token+"]"
		case script.FormObject:
			field, ok := from.Field(token)
			if !ok {
				c.noField(at.ID(), where, token, from, false)
				return
			}
			from, where = field, where+"."+token
		default:
			return
		}
	}
}

// checkShape reports results that surely are not what the operation wants.
func (c *fieldCheck) checkShape(e ast.Expr, want *shape, in scope) {
	for _, result := range results(e) {
		switch {
		case result.Kind() == ast.MapKind && want.fields != nil:
			for _, entry := range result.AsMap().Entries() {
				name, _ := constantText(entry.AsMapEntry().Key())
				if field := want.fields[name]; field != nil && !entry.AsMapEntry().IsOptional() {
					c.checkShape(entry.AsMapEntry().Value(), field, in)
				}
			}
		case result.Kind() == ast.ListKind && want.element != nil:
			for _, element := range result.AsList().Elements() {
				c.checkShape(element, want.element, in)
			}
		case result.Kind() == ast.IdentKind || result.Kind() == ast.SelectKind:
			f := c.infer(result, in).Form()
			fits := slices.ContainsFunc(kindsOf(f), func(k types.Kind) bool { return slices.Contains(want.kinds, k) })
			if f != script.FormAny && want.kinds != nil && !fits {
				c.problem(result.ID(), "%s is %s: want %s", c.name(result), f, want.words)
			}
		}
	}
}

func kindsOf(f script.Form) []types.Kind {
	switch f {
	case script.FormObject:
		return []types.Kind{types.MapKind}
	case script.FormList:
		return []types.Kind{types.ListKind}
	case script.FormText:
		return []types.Kind{types.StringKind}
	case script.FormNumber:
		return []types.Kind{types.IntKind, types.DoubleKind}
	default:
		return []types.Kind{types.BoolKind}
	}
}
