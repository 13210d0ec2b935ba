package lua_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/customizations/kube"
	"github.com/dragoman-io/dragoman/customizations/lua"
	"github.com/dragoman-io/dragoman/customizations/script"
	"github.com/dragoman-io/dragoman/interpreter"
)

var (
	limits    = script.Limits{Steps: 100_000, Memory: 4 << 20, Timeout: time.Minute}
	rewritten = lua.New(limits, kube.Functions())
	plain     = lua.NewPlain(limits, kube.Functions())
)

// answer returns what a script answers, or the error of loading or running it.
func answer(t *testing.T, e *lua.Engine, src *script.Source, req *interpreter.Request) (string, error) {
	t.Helper()
	rule, _, err := e.Compile(src)
	if err != nil {
		return "", err
	}
	resp, err := rule(t.Context(), req)
	if err != nil {
		return "", err
	}
	return encoded(t, src.Operation, resp), nil
}

// checkRewriting holds that a script answers the same, or fails with the same words on the same line, rewritten or not.
func checkRewriting(t *testing.T, src *script.Source, req *interpreter.Request) {
	t.Helper()
	got, gotErr := answer(t, rewritten, src, req)
	var over *interpreter.BudgetError
	if errors.As(gotErr, &over) {
		return // Without rewriting it may take all memory there is.
	}
	want, wantErr := answer(t, plain, src, req)
	if errors.As(wantErr, &over) {
		return // Rewriting changes what a run costs: that is its purpose.
	}
	if wantErr != nil {
		require.EqualError(t, gotErr, wantErr.Error(), src.Text)
		return
	}
	require.NoError(t, gotErr, src.Text)
	assert.Equal(t, want, got, src.Text)
}

// oddities are scripts whose rewriting is easy to get wrong.
var oddities = []string{
	`local t = {} t[1], t[2] = 1, 2, print() return t[1] .. t[2]`,
	`local function two() return "a", "b" end return two() .. two(), ("x" .. two())`,
	`local function f(...) return "<" .. ... end return f("a", "b")`,
	`local function f(...) return #{...}, select("#", ...) end local a, b = f(1, nil, 3) return a .. "/" .. b`,
	`local function f(...) local t = {...} return t[1] .. #t end return f("a", "b")`,
	`return 1 .. 2 == "12" and 2 ^ 3 ^ 2 .. "" == "512" and -2 ^ 2 .. "" == "-4"`,
	`local s = "" for i = 1, 3 do s = s .. i .. (i < 3 and "," or "") end return s`,
	`return "a" .. nil`,
	`return nil .. "a"`,
	`return "a" .. {} .. "b"`,
	`return {} .. {}`,
	`return "a" .. "b" .. nil .. "c"`,
	"return 'a'\n .. 'b'\n .. nil",
	"local x\nlocal y = 1\nreturn x.y.z",
	"return obj.spec.x\n.y.z",
	"return obj\n.nothing\n.x",
	`return #nil`,
	`return #obj.spec + #"abc" + #{1, 2} + #obj.status.conditions .. ""`,
	`return #5`,
	`local t = {} t.a.b = 1`,
	`local t = {} t[nil] = 1`,
	`local t = {} t[0/0] = 1`,
	`local t t[1] = 1`,
	`obj[nil] = 1`,
	`return obj.spec[nil] == nil and obj.spec[1] == nil and obj.status.conditions.x == nil and obj.status.conditions[1.5] == nil`,
	`local i = 1 local t = {i, [i + 1] = "b", c = {i}, [i] = "z"} return t[1] .. t[2] .. t.c[1]`,
	`local n = 0 local function k() n = n + 1 return n end local t = {} t[k()] = k() t[k()], t[k()] = k(), k() return t[1] .. t[3] .. t[4] .. n`,
	`local log = "" local function o(x) log = log .. x return {x = {y = x}} end local a = o("1").x.y .. o("2").x.y return log .. a`,
	`local a = {b = {c = {d = 1}}} local k = "c" return a.b[k].d .. a["b"]["c"]["d"]`,
	`local a = {{1, 2}, {3, 4}} local i, j = 2, 1 return a[i][j] .. a[1][2]`,
	`local s = "x" return s.len .. ""`,
	`return ("abc").upper("x") .. ("abc"):len()`,
	`local function f() return obj end return f().spec.replicas .. ""`,
	`local function f() return obj, 1 end return (f()).spec.replicas .. ""`,
	`while #obj.metadata.name > 100 do end repeat local t = {} until #t == 0 return "ok"`,
	`for i, v in ipairs({1, 2, 3}) do local t = {i, v} if i == 2 then return t[1] .. t[2] end end`,
	`local t = setmetatable`,
	`local type = function() return "mine" end return type(1)`,
	`local string = {format = function() return "mine" end} return string.format("%d", 1)`,
	`string.format = function() return "mine" end return string.format("%d", 1)`,
	`function string.trim(s) return "trimmed" end return string.trim("x") .. ("x"):trim()`,
	`local s = string s.upper = function() return "mine" end return string.upper("x")`,
	`math = {floor = function() return "mine" end} return math.floor(1.5)`,
	`pairs = function() return next, {x = 1} end for k in pairs({}) do return k end`,
	`local r = require("string") r.lower = function() return "mine" end return string.lower("X")`,
	`package.loaded.string.lower = function() return "mine" end return string.lower("X")`,
	`_G.tostring = function() return "mine" end return tostring(1)`,
	`local kube = require("kube") kube.resourceAdd = function() return "mine" end return kube.resourceAdd("1", "1")`,
	`local kube = require("kube") local k = kube k.resourceAdd = function() return "mine" end return kube.resourceAdd("1", "1")`,
	`local kube = require("kube") kube = {resourceAdd = function() return "mine" end} return kube.resourceAdd("1", "1")`,
	`local kube = require("kube") do local kube = {resourceAdd = function() return "mine" end} return kube.resourceAdd("1", "1") end`,
	`local kube = require("kube") local function f(kube) return kube.resourceAdd end return f({resourceAdd = "mine"})`,
	`local require = function() return {resourceAdd = function() return "mine" end} end local kube = require("kube") return kube.resourceAdd("1", "1")`,
	`local kube = require("kube") return kube.resourceAdd("1", "1") .. kube.resourceAdd()`,
	`local kube = require("kube") return kube.nothing()`,
	`local kube = require("kube") return kube.resourceAdd({})`,
	`return string.rep()`,
	`return ("x"):rep({})`,
	`return tonumber()`,
	`return table.concat({1, {}, 3})`,
	`local ok, e = pcall(function() return "a" .. nil end) return e`,
	`local ok, e = pcall(function() return obj.spec + 1 end) return e`,
	`local ok, e = pcall(string.rep) return e`,
	`goto done local x ::done:: return "ok"`,
	`local n = 0 ::again:: n = n + 1 local t = {n} if n < 3 then goto again end return t[1] .. ""`,
	`for i = 1, 3 do if i == 2 then goto continue end local t = {i} ::continue:: end return "ok"`,
	`for i = 1, 3 do do goto continue end local t = {i} ::continue:: local u = {i} end return "ok"`,
	`do goto a end ::b:: do return {2}, "b" end ::a:: goto b`,
	`::a:: ::b:: local t = {} goto c ::c:: ::d::`,
	`local function f(...) arg.n = nil return #arg end return f(1, 2, 3) .. ""`,
	`local function f(a, ...) return a .. #arg end return f("a", 2, 3)`,
	`local t = {} function t.a() return "a" end function t:b(x) return self.a() .. x end return t:b("b")`,
	`local t = {f = function(self) return self end} return t:f():f().f == t.f and "ok"`,
	`return (function(...) return ... end)("a", "b")`,
	`local t = {(function() return 1, 2 end)(), (function() return 1, 2 end)()} return #t .. ""`,
	`local t = {n = 1, (function() return 1, 2 end)()} return #t .. ""`,
	`local a <const> = 1 return a`,
	`return "\65\066\n\\" .. [[long]] .. [==[lo]]ng]==]`,
}

func TestRewritingChangesNothing(t *testing.T) {
	for _, q := range corpus(t) {
		t.Run(q.name, func(t *testing.T) { checkRewriting(t, q.src, q.req) })
	}
	for _, body := range oddities {
		t.Run(body, func(t *testing.T) {
			text := "function InterpretHealth(obj)\n" + body + "\nend"
			wrapped := "local answer = function(obj)\n" + body + "\nend\nfunction InterpretHealth(obj)\nlocal a, b = answer(obj) return 'Healthy', tostring(a) .. '|' .. tostring(b)\nend"
			checkRewriting(t, source(interpreter.InterpretHealth, text), health(t))
			checkRewriting(t, source(interpreter.InterpretHealth, wrapped), health(t))
		})
	}
	data, err := os.ReadFile("testdata/problems.txt")
	require.NoError(t, err)
	for _, c := range strings.Split(string(data), "### ")[1:] {
		text, _, _ := strings.Cut(c, "\n---\n")
		_, rest, _ := strings.Cut(text, "\n")
		name, body, _ := strings.Cut(rest, "\n")
		op, err := interpreter.ParseOperation(name)
		require.NoError(t, err)
		req := &interpreter.Request{Operation: op, Object: object(t, "flink"), ObservedObject: object(t, "flink")}
		require.NoError(t, req.Complete())
		checkRewriting(t, source(op, body), req)
	}
}

// TestLoopsBegin holds that a loop begins with no key when nobody says where: the compiler takes one out of a register
// that something else was in.
func TestLoopsBegin(t *testing.T) {
	const body = `local function count(t)
  local out, names = 0, ""
  do local a, b, c = "a", "b", "c" end
  %s out = out + 1 names = names .. tostring(k) end
  return out .. names:len()
end
return count({a = 1, b = 2, c = 3}) .. count(obj.metadata)`
	var want string
	for _, loop := range []string{
		"for k, v in pairs(t) do", "for k, v in next, t, nil do", "for k, v in next, t do", "for k in next, t do",
		"for k in (function(s, k) return next(t, k) end) do", "for k, v in (pairs(t)), t do", "for k, v, w in next, t do",
	} {
		got, err := answer(t, rewritten, source(interpreter.InterpretHealth, fmt.Sprintf(
			"local f = function(obj)\n"+body+"\nend\nfunction InterpretHealth(obj) return 'Healthy', f(obj) end", loop)), health(t))
		require.NoError(t, err, loop)
		if want == "" {
			want = got
		}
		assert.Equal(t, want, got, loop)
	}
}

// FuzzScripts holds that no script crashes or hangs the engine, and that rewriting changes no answer.
func FuzzScripts(f *testing.F) {
	for _, body := range oddities {
		f.Add(inHealth(body))
	}
	for _, attack := range attacks {
		f.Add(attack.text)
	}
	for _, q := range corpus(f) {
		f.Add(q.src.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkRewriting(t, source(interpreter.InterpretHealth, text), health(t))
	})
}
