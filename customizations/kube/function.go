package kube

import (
	"context"

	"github.com/dragoman-io/dragoman/interpreter"
)

// Type is the type of an argument or a result.
type Type string

// The types. Any value may also be nil where the function says so.
const (
	Any    Type = "any"
	String Type = "string"
	Int    Type = "int"
	Double Type = "double"
	Bool   Type = "bool"
	Map    Type = "map"
	List   Type = "list"
)

// Param is one parameter of a function.
type Param struct {
	// Name is the parameter's name in documentation and errors.
	Name string
	// Type is what the engine passes; a value of another type is an error that names the parameter.
	Type Type
	// Optional tells that the argument may be left out or be null; the function then gets nil.
	Optional bool
	// Path says, for names and paths of fields, in what they are looked up, so that they can be checked against a schema.
	Path Root
}

// Root is what a path of fields begins at.
type Root string

// The roots.
const (
	// Object is the object that the rule is about.
	Object Root = "object"
	// Status is the object's status.
	Status Root = "status"
	// MemberStatus is the status that a member reports.
	MemberStatus Root = "memberStatus"
	// Argument is the first argument of the same call.
	Argument Root = "argument"
)

// Function is one function of the library.
type Function struct {
	// Name is the function's name behind "kube.".
	Name string
	// Aliases are other names for it, those of the peer.
	Aliases []string
	// Params are its parameters, in order.
	Params []Param
	// Variadic tells that the last parameter may be given any number of times, zero included.
	Variadic bool
	// Result is the type of its result.
	Result Type
	// Doc says what it returns, in sentences.
	Doc string
	// Lua and CEL are examples, each a whole expression; tests run them.
	Lua, CEL string
	// Call computes the result. Arguments and result are plain values: nil, bool, int64, float64, string, map[string]any,
	// []any. Arguments must not be modified; a result may share memory with them, but nobody may keep args itself. They
	// are what Check returned.
	Call func(c *Call, args []any) (any, error)
}

// Call is the run that a function is called from.
type Call struct {
	// Context is the run's context; interpreter.ClockOf tells the time.
	Context context.Context
	// Request is the question being answered. Nil while a script is loaded.
	Request *interpreter.Request
	// Charge takes n bytes from the run's memory budget, before they are allocated; its error ends the run. A function whose
	// result can be much larger than its arguments calls it.
	Charge func(n int) error
}
