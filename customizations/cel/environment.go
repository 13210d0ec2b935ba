package cel

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"
	celinterpreter "github.com/google/cel-go/interpreter"
	k8s "k8s.io/apiserver/pkg/cel/library"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/interpreter"
)

// nextVariable is the name of the variable that holds the answer of the rest of the chain.
const nextVariable = "next"

// library is everything that expressions may use. It is immutable.
type library struct {
	// environments are by operation; each is made when it is first asked for.
	environments map[interpreter.Operation]func() (*celgo.Env, error)
	dispatcher   celinterpreter.Dispatcher
	meters       map[string]meter
	// functions are the names of all functions, and signatures how those of kube are called.
	functions  []string
	signatures map[string]string
	kube       map[string]*kube.Function
}

// Options returns what the language of rules adds to standard CEL, for an environment that type-checks rules otherwise:
// libraries, macros and functions, but no variables.
func Options(functions []kube.Function) []celgo.EnvOption {
	options := []celgo.EnvOption{
		celgo.OptionalTypes(),
		ext.Bindings(),
		ext.Strings(),
		ext.Math(),
		ext.Sets(),
		ext.Lists(),
		ext.Regex(),
		ext.TwoVarComprehensions(),
		k8s.Quantity(),
		k8s.Lists(),
		k8s.Regex(),
		k8s.URLs(),
		k8s.IP(),
		k8s.CIDR(),
		k8s.Format(),
		k8s.SemverLib(k8s.SemverVersion(1)),
		celgo.EnableIdentifierEscapeSyntax(),
		celgo.EnableMacroCallTracking(),
		celgo.DefaultUTCTimeZone(true),
		celgo.CrossTypeNumericComparisons(true),
		celgo.ASTValidators(celgo.ValidateDurationLiterals(), celgo.ValidateTimestampLiterals()),
		celgo.Macros(
			celgo.ReceiverMacro("optMap", 2, expandOptMap),
			celgo.ReceiverMacro("optFlatMap", 2, expandOptFlatMap),
		),
	}
	for i := range functions {
		f := &functions[i]
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			options = append(options, declare(name, f))
		}
	}
	return options
}

func newLibrary(table []kube.Function) (*library, error) {
	base, err := celgo.NewEnv(Options(table)...)
	if err != nil {
		return nil, err
	}
	l := &library{
		environments: map[interpreter.Operation]func() (*celgo.Env, error){},
		dispatcher:   celinterpreter.NewDispatcher(),
		meters:       meters(table),
		signatures:   map[string]string{},
		kube:         map[string]*kube.Function{},
	}
	declared := base.Functions()
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		bindings, err := declared[name].Bindings()
		if err != nil {
			return nil, err
		}
		if err := l.dispatcher.Add(bindings...); err != nil {
			return nil, err
		}
	}
	for _, name := range looseFunctions {
		l.meters[loose+name] = l.meters[name]
	}
	for name := range l.meters {
		if !strings.ContainsAny(name, "_@") {
			l.functions = append(l.functions, name)
		}
	}
	slices.Sort(l.functions)
	for i := range table {
		f := &table[i]
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			l.signatures["kube."+name] = signature(name, f)
			l.kube["kube."+name] = f
		}
	}
	inner, err := base.Extend(loosely(declared)...)
	if err != nil {
		return nil, err
	}
	for _, info := range interpreter.Operations() {
		l.environments[info.Operation] = sync.OnceValues(func() (*celgo.Env, error) {
			return inner.Extend(variables(&info)...)
		})
	}
	return l, nil
}

// overload returns the implementation that a call is planned with.
func (l *library) overload(id, function string) *functions.Overload {
	if id != "" {
		if o, ok := l.dispatcher.FindOverload(id); ok {
			return o
		}
	}
	o, _ := l.dispatcher.FindOverload(function)
	return o
}

func variables(info *interpreter.OperationInfo) []celgo.EnvOption {
	options := []celgo.EnvOption{celgo.Variable(nextVariable, celgo.DynType)}
	for _, in := range info.Inputs {
		t := celgo.DynType
		if in == interpreter.InputReplicas {
			t = celgo.IntType
		}
		options = append(options, celgo.Variable(string(in), t))
	}
	return options
}

// variableNames returns the names that an expression of the operation may use, for suggestions.
func variableNames(info *interpreter.OperationInfo) []string {
	names := []string{nextVariable}
	for _, in := range info.Inputs {
		names = append(names, string(in))
	}
	return names
}

// maxVariadic is how many arguments a variadic function takes at most: CEL has no variadic functions, only overloads.
const maxVariadic = 16

// declare declares f as kube.<name>, with an overload for each number of arguments. They are bound when a program is
// planned, since they want to know their run.
func declare(name string, f *kube.Function) celgo.EnvOption {
	least, most := len(f.Params), len(f.Params)
	if f.Variadic {
		least, most = least-1, max(maxVariadic, most)
	}
	for least > 0 && f.Params[least-1].Optional {
		least--
	}
	qualified := "kube." + name
	options := []celgo.FunctionOpt{celgo.SingletonFunctionBinding(func(...ref.Val) ref.Val {
		return types.NewErr("%s cannot be called here", qualified)
	})}
	for n := least; n <= most; n++ {
		args := make([]*celgo.Type, n)
		for i := range args {
			args[i] = argumentType(f.Params[min(i, len(f.Params)-1)])
		}
		options = append(options, celgo.Overload("kube_"+name+"_"+strconv.Itoa(n), args, resultType(f.Result)))
	}
	return celgo.Function(qualified, options...)
}

// signature returns how f is called, as in kube.sum(items list, field string).
func signature(name string, f *kube.Function) string {
	params := make([]string, len(f.Params))
	for i, p := range f.Params {
		params[i] = p.Name + " " + string(p.Type)
		switch {
		case f.Variadic && i == len(f.Params)-1:
			params[i] += "..."
		case p.Optional:
			params[i] = "[" + params[i] + "]"
		}
	}
	return "kube." + name + "(" + strings.Join(params, ", ") + ")"
}

// argumentType returns the static type of a parameter. One that may be null has to be dynamic.
func argumentType(p kube.Param) *celgo.Type {
	if p.Optional {
		return celgo.DynType
	}
	switch p.Type {
	case kube.String:
		return celgo.StringType
	case kube.Int:
		return celgo.IntType
	case kube.Bool:
		return celgo.BoolType
	case kube.Map:
		return celgo.MapType(celgo.StringType, celgo.DynType)
	case kube.List:
		return celgo.ListType(celgo.DynType)
	default:
		return celgo.DynType
	}
}

// resultType returns the static type of a result. Whatever may be null is dynamic, so that it can be compared with null.
func resultType(t kube.Type) *celgo.Type {
	if t == kube.Bool {
		return celgo.BoolType
	}
	return celgo.DynType
}

// The macros of optional values as cel-go has them copy their target into the expansion twice, so that a chain of n of
// them is 2^n copies. These bind the target to a name first.

func expandOptMap(f celgo.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *celgo.Error) {
	return expandOptional(f, "optMap", target, args, func(body ast.Expr) ast.Expr {
		return f.NewCall("optional.of", body)
	})
}

func expandOptFlatMap(f celgo.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *celgo.Error) {
	return expandOptional(f, "optFlatMap", target, args, func(body ast.Expr) ast.Expr { return body })
}

func expandOptional(
	f celgo.MacroExprFactory, name string, target ast.Expr, args []ast.Expr, wrap func(ast.Expr) ast.Expr,
) (ast.Expr, *celgo.Error) {
	const bound = "@optional"
	if args[0].Kind() != ast.IdentKind {
		return nil, f.NewError(args[0].ID(), fmt.Sprintf("%s: the first argument must be a name", name))
	}
	bind := func(variable string, value, body ast.Expr) ast.Expr {
		return f.NewComprehension(f.NewList(), "#unused", variable, value, f.NewLiteral(types.False), f.NewIdent(variable), body)
	}
	present := f.NewMemberCall("hasValue", f.NewIdent(bound))
	mapped := wrap(bind(args[0].AsIdent(), f.NewMemberCall("value", f.NewIdent(bound)), args[1]))
	return bind(bound, target, f.NewCall(operators.Conditional, present, mapped, f.NewCall("optional.none"))), nil
}
