package cases

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	celinterpreter "github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

// outputVariable is what assertions call the answer: a map of its parts by name.
const outputVariable = "output"

// assertionCost is what evaluating one assertion may cost, in units of CEL.
const assertionCost = 10_000_000

// assertionEnvironment is the language of assertions: that of rules, with the inputs of the operation and the output as
// variables. It is immutable, and made when the first assertion is compiled.
var assertionEnvironment = sync.OnceValues(func() (*celgo.Env, error) {
	options := cel.Options(nil)
	for _, name := range []interpreter.Input{
		interpreter.InputObject, interpreter.InputObserved, interpreter.InputReplicas, interpreter.InputItems, interpreter.InputContext,
		outputVariable,
	} {
		options = append(options, celgo.Variable(string(name), celgo.DynType))
	}
	return celgo.NewEnv(options...)
})

// compileAssertion returns the program of an assertion. Its error is in one line.
func compileAssertion(expression string) (celgo.Program, *celgo.Ast, error) {
	if len(expression) > script.MaxSource {
		return nil, nil, fmt.Errorf("want at most %d bytes, got %d", script.MaxSource, len(expression))
	}
	env, err := assertionEnvironment()
	if err != nil {
		return nil, nil, err
	}
	compiled, issues := env.Compile(expression)
	if err := issues.Err(); err != nil {
		var texts []string
		for _, e := range issues.Errors() {
			texts = append(texts, fmt.Sprintf("%d:%d: %s", e.Location.Line(), e.Location.Column()+1, e.Message))
		}
		return nil, nil, fmt.Errorf("%s: %s", expression, strings.Join(texts, "; "))
	}
	if t := compiled.OutputType(); t != celgo.BoolType && t != celgo.DynType {
		return nil, nil, fmt.Errorf("%s: want a boolean, got %s", expression, t)
	}
	program, err := env.Program(compiled, celgo.EvalOptions(celgo.OptTrackState), celgo.CostLimit(assertionCost))
	return program, compiled, err
}

// failedAssertions returns what is wrong with the assertions of a case that was answered.
func failedAssertions(result *Result) []string {
	if len(result.Case.Expect.Assert) == 0 {
		return nil
	}
	variables := map[string]any{}
	req := result.Case.Request()
	for _, in := range req.Operation.Info().Inputs {
		variables[string(in)] = script.EncodeInput(req, in)
	}
	output := make(map[string]any, len(result.Outputs))
	for _, part := range result.Outputs {
		output[part.Name] = part.Value
	}
	if healthy, ok := output["healthy"]; ok && output["health"] == nil {
		output["health"] = string(interpreter.HealthOf(healthy == true).State)
	}
	variables[outputVariable] = output

	var problems []string
	for i, expression := range result.Case.Expect.Assert {
		if why := failedAssertion(expression, variables); why != "" {
			problems = append(problems, fmt.Sprintf("assert[%d]  %s", i, why))
		}
	}
	return problems
}

// failedAssertion returns why an assertion does not hold, or "".
func failedAssertion(expression string, variables map[string]any) string {
	program, compiled, err := compileAssertion(expression)
	if err != nil {
		return err.Error()
	}
	value, details, err := program.Eval(variables)
	switch {
	case err != nil:
		return fmt.Sprintf("%s  %v", expression, err)
	case value == types.True:
		return ""
	}
	why := fmt.Sprintf("%s  is %v", expression, value.Value())
	if seen := readValues(compiled.NativeRep(), details.State()); len(seen) > 0 {
		why += "  (" + strings.Join(seen, ", ") + ")"
	}
	return why
}

// readValues returns the values of the fields that an expression read, as "field = value".
func readValues(tree *ast.AST, state celinterpreter.EvalState) []string {
	var seen []string
	root := ast.NavigateAST(tree)
	for _, e := range ast.MatchDescendants(root, ast.KindMatcher(ast.SelectKind)) {
		if parent, ok := e.Parent(); ok && parent.Kind() == ast.SelectKind {
			continue
		}
		path, ok := selectPath(e)
		value, evaluated := state.Value(e.ID())
		if !ok || !evaluated || types.IsUnknownOrError(value) {
			continue
		}
		text := path + " = " + show(value.Value())
		if !slices.Contains(seen, text) {
			seen = append(seen, text)
		}
	}
	return seen
}

// selectPath returns an expression such as output.revised.spec as it is written.
func selectPath(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent(), true
	case ast.SelectKind:
		operand, ok := selectPath(e.AsSelect().Operand())
		return operand + "." + e.AsSelect().FieldName(), ok && !e.AsSelect().IsTestOnly()
	default:
		return "", false
	}
}
