package lua_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dragoman-io/dragoman/interpreter"
)

// probe reports what it can see of other runs. It prints all that a script may have changed.
const probe = `
local kube = require("kube")
local out = {}
local function see(what, value) out[#out + 1] = what .. "=" .. tostring(value) end
for _, name in ipairs({"leak", "GetReplicas", "Retain", "helper", "type", "error", "print", "next", "kube", "string", "table", "os", "math"}) do
  see(name, _G[name] ~= nil)
end
for name in pairs(_G) do see("global", name) end
for _, library in ipairs({"string", "table", "math", "os", "kube", "package"}) do
  local names = {}
  for name in pairs(require(library)) do names[#names + 1] = name end
  table.sort(names)
  see(library, table.concat(names, ","))
end
see("format", string.format("%d", 7))
see("upper", ("x"):upper())
see("trim", string.trim)
see("method", ("x").trim)
see("insert", pcall(table.insert, {}, 1))
see("pi", math.pi)
see("random", math.random(1000000))
see("loaded", package.loaded.extra)
see("preload", package.preload.extra)
see("sum", kube.resourceAdd("1", "2"))
function InterpretHealth(obj)
  see("replicas", obj.spec.replicas)
  see("added", obj.spec.added)
  return "Healthy", table.concat(out, " ")
end`

// leaks are scripts that try to leave something behind.
var leaks = []struct{ reason, text string }{
	{"globals", `leak = 1 GetReplicas = function() end function Retain() end`},
	{"globals in a function", `function InterpretHealth(obj) leak = 1 function helper() end return true end`},
	{"globals by _G", `_G.leak = 1 _G["helper"] = 2 for i = 1, 100 do _G["g" .. i] = i end`},
	{"base functions", `type = "x" error = nil print = 1 next = function() end pairs = nil ipairs = nil`},
	{"a library", `string = {} table = nil math = 1 os = {time = 1}`},
	{"fields of libraries", `string.format = nil string.format = tostring table.insert = error math.pi = 3 os.time = error kube = nil`},
	{"a method of strings", `function string.trim(s) return s end assert(("x"):trim() == "x")`},
	{"methods that are there", `function string.upper() return "?" end assert(("x"):upper() == "?")`},
	{"fields of kube", `local kube = require("kube") kube.resourceAdd = error kube.extra = 1`},
	{"libraries found otherwise", `require("string").extra = 1 package.loaded.table.extra = 2 package.loaded.extra = 3 package.preload.extra = error`},
	{"entries of a library by table functions", `table.insert(string, "x") table.insert(string, "y") table.sort(string) string[7] = 1`},
	{"the seed", `math.randomseed(42) math.random()`},
	{"the input", `function InterpretHealth(obj) obj.spec.replicas = 99 obj.spec.added = true obj.metadata = nil obj.status.conditions[1].type = "x" table.remove(obj.status.conditions) return true end`},
	{"an error", `function InterpretHealth(obj) leak = 1 string.extra = 1 error("no") end`},
	{"a caught error", `function InterpretHealth(obj) leak = 1 pcall(error, "no") return true end`},
	{"an error over budget", `function InterpretHealth(obj) leak = 1 string.extra = 1 while true do end end`},
	{"a closure that is still there", `function InterpretHealth(obj) local n = 0 leak = function() n = n + 1 return n end return leak() == 1 end`},
	{"an iterator that is still there", `it = string.gmatch("a b c", "%a") it() function InterpretHealth(obj) it() return true end`},
}

func TestIsolation(t *testing.T) {
	e := newEngine()
	look := compiled(t, e, source(interpreter.InterpretHealth, probe))
	want, err := look(t.Context(), health(t))
	require.NoError(t, err)
	require.Contains(t, want.Health.Message, "leak=false")
	require.Contains(t, want.Health.Message, "replicas=6")

	for _, leak := range leaks {
		t.Run(leak.reason, func(t *testing.T) {
			text := leak.text
			if !strings.Contains(text, "InterpretHealth") {
				text += " function InterpretHealth() return true end"
			}
			dirty := compiled(t, e, source(interpreter.InterpretHealth, text))
			req := health(t)
			before := req.Object.DeepCopy()
			for range 3 {
				_, _ = dirty(t.Context(), req)
				got, err := look(t.Context(), req)
				require.NoError(t, err)
				assert.Equal(t, want, got)
			}
			assert.Equal(t, before, req.Object, "the request is only read")
		})
	}
}

// TestConcurrently runs all scripts at once, again and again: their answers stay the same.
func TestConcurrently(t *testing.T) {
	e := newEngine()
	var wg sync.WaitGroup
	for _, q := range corpus(t) {
		rule := compiled(t, e, q.src)
		want, err := rule(t.Context(), q.req)
		require.NoError(t, err)
		for range 2 {
			wg.Go(func() {
				for range 50 {
					got, err := rule(t.Context(), q.req)
					assert.Equal(t, want, got, "%s: %v", q.name, err)
				}
			})
		}
	}
	for _, leak := range leaks {
		wg.Go(func() {
			text := leak.text
			if !strings.Contains(text, "InterpretHealth") {
				text += " function InterpretHealth() return true end"
			}
			rule, _, err := e.Compile(source(interpreter.InterpretHealth, text))
			if err != nil {
				t.Errorf("%s: %v", leak.reason, err)
				return
			}
			for range 10 {
				_, _ = rule(t.Context(), health(t))
			}
		})
	}
	wg.Wait()
}

// TestScriptsOfPeers are ways to write a script that users of the peer have.
func TestScriptsOfPeers(t *testing.T) {
	e := newEngine()
	tests := []struct{ reason, text string }{
		{"a helper that is a global function", `function helper(x) return x == 6 end function InterpretHealth(obj) return helper(obj.spec.replicas) end`},
		{"a table of functions", `local M = {} function M.ok(self, x) return x == 6 end function InterpretHealth(obj) return M:ok(obj.spec.replicas) end`},
		{"a computation at the top", `local n = 0 for i = 1, 3 do n = n + i end function InterpretHealth(obj) return obj.spec.replicas == n end`},
		{"a function as a value", `InterpretHealth = function(obj) return obj.spec.replicas == 6 end`},
		{"a function by _G", `_G["Interpret" .. "Health"] = function(obj) return obj.spec.replicas == 6 end`},
		{"kube in the function", `function InterpretHealth(obj) local kube = require("kube") return kube.resourceAdd("1", nil) == "1" end`},
		{"kube as a global", `kube = require("kube") function InterpretHealth(obj) return kube.resourceAdd("1", "1") == "2" end`},
		{"a global that remembers, in one run", `count = 0 function bump() count = count + 1 end function InterpretHealth(obj) bump() bump() return count == 2 end`},
		{"a method of strings", `function string.trim(s) return s:match("^%s*(.-)%s*$") end function InterpretHealth(obj) return ("  x "):trim() == "x" and string.trim(" y ") == "y" end`},
		{"type of an input is table", `function InterpretHealth(obj) return type(obj) == "table" and type(obj.spec) == "table" and type(obj.status.conditions) == "table" end`},
		{"next of an input", `function InterpretHealth(obj) return next(obj.spec) ~= nil and next({}) == nil and next(obj.metadata.labels, "tier") == nil end`},
		{"an input compared with itself", `function InterpretHealth(obj) return obj.spec == obj.spec and obj.spec.template ~= obj.spec and obj.status.conditions[1] == obj.status.conditions[1] end`},
		{"an input as a key", `function InterpretHealth(obj) local t = {[obj.spec] = true} return t[obj.spec] end`},
		{"the length of lists", `function InterpretHealth(obj) return #obj.status.conditions == 2 and table.getn(obj.status.conditions) == 2 and #obj.spec == 0 end`},
		{"unpack an input", `function InterpretHealth(obj) local a, b = unpack(obj.status.conditions) return a.type == "Available" and b.type == "Progressing" end`},
		{"sort an input", `function InterpretHealth(obj) local c = obj.status.conditions table.sort(c, function(a, b) return a.type > b.type end) return c[1].type == "Progressing" and obj.status.conditions[1] == c[1] end`},
		{"insert into and remove from an input", `function InterpretHealth(obj) local c = obj.status.conditions table.insert(c, 1, {type = "x"}) table.insert(c, {type = "y"}) local r = table.remove(c, 2) return #c == 3 and c[1].type == "x" and c[3].type == "y" and r.type == "Available" end`},
		{"join parts of an input", `function InterpretHealth(obj) return table.concat({obj.kind, obj.spec.replicas, 2.5}, "-") == "Rollout-6-2.5" end`},
		{"a field that is removed and set", `function InterpretHealth(obj) obj.spec.replicas = nil local gone = obj.spec.replicas == nil obj.spec.replicas = 3 return gone and obj.spec.replicas == 3 end`},
		{"walk over an input and remove", `function InterpretHealth(obj) local n = 0 for k in pairs(obj.metadata.labels) do obj.metadata.labels[k] = nil n = n + 1 end return n == 3 and next(obj.metadata.labels) == nil end`},
		{"walk over an input and add", `function InterpretHealth(obj) obj.spec.zzz = 1 obj.spec.aaa = 1 local names = {} for k in pairs(obj.spec) do names[#names + 1] = k end return names[#names] == "aaa" and names[#names - 1] == "zzz" end`},
		{"names come sorted", `function InterpretHealth(obj) local last = "" for k in pairs(obj.spec) do if k < last then return false end last = k end return true end`},
		{"numbers as text", `function InterpretHealth(obj) return "10" + 5 == 15 and 10 .. "" == "10" and tostring(1e15) == "1000000000000000" and tostring(0.1) == "0.1" end`},
		{"tonumber", `function InterpretHealth(obj) return tonumber("12") == 12 and tonumber("x") == nil and tonumber("0x10") == 16 and tonumber("1.5") == 1.5 and tonumber("ff", 16) == 255 end`},
		{"format", `function InterpretHealth(obj) return string.format("%s %d %5.2f %x %q %%", "a", 3.7, 1.005, 255, "b") == 'a 3  1.00 ff "b" %' end`},
		{"select and varargs", `local function f(...) return select("#", ...), select(2, ...) end function InterpretHealth(obj) local n, b = f("a", "b", "c") return n == 3 and b == "b" end`},
		{"the table arg", `local function f(...) return arg.n, arg[1] end function InterpretHealth(obj) local n, a = f("a", "b") return n == 2 and a == "a" end`},
		{"an error that is caught", `function InterpretHealth(obj) local ok, e = pcall(function() error("no", 0) end) return not ok and e == "no" end`},
		{"an error with a place", `function InterpretHealth(obj) local ok, e = pcall(function() error("no") end) return not ok and string.find(e, ":1: no", 1, true) ~= nil end`},
		{"xpcall", `function InterpretHealth(obj) local ok, e = xpcall(function() local x = nil; return x.y end, function(e) return "handled" end) return not ok and e == "handled" end`},
		{"time and date", `function InterpretHealth(obj) return os.time({year = 2026, month = 5, day = 19, hour = 0}) == 1779148800 and os.date("!%Y-%m-%dT%H:%M:%SZ", 1779148800) == "2026-05-19T00:00:00Z" and os.date("*t", 1779148800).month == 5 end`},
		{"gsub", `function InterpretHealth(obj) local s, n = string.gsub("hello world", "o", "0") return s == "hell0 w0rld" and n == 2 and string.gsub("abc", "%w", "%0%0") == "aabbcc" and string.gsub("$a $b", "%$(%w)", {a = "1"}) == "1 $b" and string.gsub("abc", "", "-") == "-a-b-c-" end`},
		{"patterns", `function InterpretHealth(obj) local y, m = string.match("2026-05-19", "(%d+)-(%d+)") return y == "2026" and m == "05" and string.find("a.b", ".", 1, true) == 2 and string.match("key = value", "^(%w+)%s*=%s*(%w+)$") == "key" and string.match("[[x]]", "%[%[(.-)%]%]") == "x" and string.find("abc", "b()") == 2 and string.match("THE (quick) fox", "%((%a+)%)") == "quick" and string.match("f(a(b)c)d", "%b()") == "(a(b)c)" end`},
		{"gmatch", `function InterpretHealth(obj) local t = {} for k, v in string.gmatch("a=1, b=2", "(%w+)=(%w+)") do t[k] = v end return t.a == "1" and t.b == "2" end`},
		{"goto continue", `function InterpretHealth(obj) local n = 0 for i = 1, 4 do if i % 2 == 0 then goto continue end n = n + i ::continue:: end return n == 4 end`},
		{"a number as a field of a list in the input", `function InterpretHealth(obj) local t = obj.status.conditions t[#t + 1] = {type = "New"} return t[3].type == "New" and #t == 3 end`},
		{"two assignments at once", `function InterpretHealth(obj) local t = {1, 2} local i = 1 i, t[i] = i + 1, 20 t[1], t[2] = t[2], t[1] return i == 2 and t[1] == 2 and t[2] == 20 end`},
		{"more values than targets", `local function two() return 1, 2 end function InterpretHealth(obj) local t = {} t[1] = two() t[2], t[3] = two() t["x" .. 1] = (two()) return t[1] == 1 and t[2] == 1 and t[3] == 2 and t.x1 == 1 and #{two(), two()} == 3 and "" .. two() == "1" end`},
		{"maths", `function InterpretHealth(obj) return math.ceil(1.2) == 2 and math.max(1, 5, 3) == 5 and 7 % 3 == 1 and -7 % 3 == 2 and 2 ^ 10 == 1024 and math.floor(-0.5) == -1 and math.fmod(7, 3) == 1 end`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			for range 2 {
				resp, err := compiled(t, e, source(interpreter.InterpretHealth, test.text))(t.Context(), health(t))
				require.NoError(t, err)
				assert.Equal(t, interpreter.Healthy, resp.Health.State)
			}
		})
	}
}

func TestForbidden(t *testing.T) {
	e := newEngine()
	for _, name := range []string{
		"collectgarbage", "dofile", "getfenv", "getmetatable", "load", "loadfile", "loadstring", "rawequal", "rawget", "rawset",
		"setfenv", "setmetatable", "module", "newproxy",
	} {
		_, err := compiled(t, e, source(interpreter.InterpretHealth, inHealth(name+"({})")))(t.Context(), health(t))
		require.ErrorContains(t, err, fmt.Sprintf("call function %s is not supported in karmada customized resourceinterpreter.", name))
	}
	for _, gone := range []string{"io", "debug", "coroutine", "channel", "os.exit", "os.getenv", "_printregs", "string.dump"} {
		_, err := compiled(t, e, source(interpreter.InterpretHealth, inHealth(gone+"()")))(t.Context(), health(t))
		assert.Error(t, err, gone)
	}
}
