package lua_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

func TestSmoke(t *testing.T) {
	e := lua.New(script.Limits{}, kube.Functions())
	rule, warnings, err := e.Compile(&script.Source{Customization: "x", Operation: interpreter.ReviseReplica, Language: script.Lua, Text: `
local kube = require("kube")
function helper(o) local s = "a" .. 1 .. "b" return #s end
function ReviseReplica(obj, n)
  local t = {}
  for k, v in pairs(obj.spec) do t[k] = v end
  obj.spec.replicas = n + helper(obj) - 3
  obj.spec.copy = {x = 1, list = {1,2,3}, e = {}, eo = kube.emptyObject()}
  obj.spec.list[#obj.spec.list+1] = "z"
  return obj
end`})
	require.NoError(t, err)
	require.Empty(t, warnings)
	req := &interpreter.Request{Operation: interpreter.ReviseReplica, DesiredReplicas: 3, Object: &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "K", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"replicas": int64(1), "big": int64(1<<62 + 1), "null": nil, "e": map[string]any{}, "l": []any{}, "list": []any{"a", nil, "b"}},
	}}}
	require.NoError(t, req.Complete())
	resp, err := rule(t.Context(), req)
	require.NoError(t, err)
	t.Logf("%#v", resp.Object.Object)
}
