package main

import (
	"errors"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/customizations"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
	"github.com/dragoman-io/dragoman/thirdparty"
)

// engines returns the script engines by language.
func engines() (map[script.Language]script.Engine, error) {
	return customizations.Engines(script.Limits{})
}

// shipped returns the links of the chain that are part of this program: the catalogue, the built-in kinds, and what
// holds for every object.
func shipped() (interpreter.Interpreter, error) {
	catalogue, err := thirdparty.New(script.Limits{})
	if err != nil {
		return nil, err
	}
	return interpreter.Chain{catalogue, builtin.Interpreter{}, builtin.Generic{}}, nil
}

// customizationsLink is the link of the chain that customizations of users are.
const customizationsLink = "customizations"

// decodeRules returns the customizations in files. It is an error when a file cannot be read as customizations.
func decodeRules(files []file) ([]customizations.Customization, error) {
	var found []customizations.Customization
	var errs []error
	for _, f := range files {
		cs, err := customizations.Decode(f.name, f.data)
		if err != nil {
			errs = append(errs, err)
		}
		if err == nil && len(cs) == 0 {
			errs = append(errs, errors.New(f.name+": want a "+customizations.Kind+", got an empty file"))
		}
		found = append(found, cs...)
	}
	if err := customizations.Distinct(found); err != nil && len(errs) == 0 {
		errs = append(errs, err)
	}
	return found, unusable(errors.Join(errs...))
}

// newSet compiles the customizations in files. Rules that do not compile answer their error.
func newSet(files []file) (*customizations.Set, error) {
	found, err := decodeRules(files)
	if err != nil {
		return nil, err
	}
	return compile(found, false)
}

// compile returns the set of customizations, each of which is compiled now, or when it is first asked if that is lazy.
func compile(found []customizations.Customization, lazy bool) (*customizations.Set, error) {
	byLanguage, err := engines()
	if err != nil {
		return nil, err
	}
	return customizations.New(customizations.Options{Link: customizationsLink, Engines: byLanguage, Lazy: lazy}).With(found...), nil
}
