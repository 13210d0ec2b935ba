package customizations

import (
	"github.com/dragoman-io/dragoman/customizations/cel"
	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
)

// Engines returns an engine for each language, whose scripts may spend limits on each run and call the kube library.
func Engines(limits script.Limits) (map[script.Language]script.Engine, error) {
	functions := kube.Functions()
	celEngine, err := cel.New(limits, functions)
	if err != nil {
		return nil, err
	}
	return map[script.Language]script.Engine{script.Lua: lua.New(limits, functions), script.CEL: celEngine}, nil
}
