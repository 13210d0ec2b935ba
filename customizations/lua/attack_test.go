package lua_test

import (
	"runtime"
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

// inHealth returns a script whose body runs in InterpretHealth.
func inHealth(body string) string {
	return "function InterpretHealth(obj)\n" + body + "\nreturn true\nend"
}

// attacks are scripts that try to take more than their share. want is the budget that stops them.
var attacks = []struct {
	reason string
	text   string
	want   interpreter.Budget
}{
	{"a loop without end", inHealth(`while true do end`), interpreter.BudgetSteps},
	{"a loop by goto", inHealth(`::again:: goto again`), interpreter.BudgetSteps},
	{"a loop with a large bound", inHealth(`for i = 1, 1e300 do end`), interpreter.BudgetSteps},
	{"pcall does not stop the counting", inHealth(`while true do pcall(function() while true do end end) end`), interpreter.BudgetSteps},
	{"the end of a run cannot be caught, even by the last call", `function InterpretHealth() return pcall(function() while true do end end) end`, interpreter.BudgetSteps},
	{"nor handled by a handler that loops", `function InterpretHealth() return xpcall(function() while true do end end, function() while true do end end) end`, interpreter.BudgetSteps},
	{"tail calls", `function loop() return loop() end function InterpretHealth() return loop() end`, interpreter.BudgetSteps},
	{"sorting with an order that is none", inHealth(`local t = {} for i = 1, 60000 do t[i] = i end table.sort(t, function() return true end)`), interpreter.BudgetSteps},
	{"sorting without a function", inHealth(`local t = {} for i = 1, 20000 do t[i] = 20000 - i end while true do table.sort(t) table.insert(t, 1, 3) end`), interpreter.BudgetSteps},
	{"# over a tail of nils", inHealth(`local t = {} t[65000] = 1 t[65000] = nil while true do local n = #t end`), interpreter.BudgetSteps},
	{"table.maxn over a tail of nils", inHealth(`local t = {} t[65000] = 1 t[65000] = nil while true do table.maxn(t) end`), interpreter.BudgetSteps},
	{"taking out the first of many", inHealth(`local t = {} for i = 1, 60000 do t[i] = i end while true do table.remove(t, 1) table.insert(t, 1, 1) end`), interpreter.BudgetSteps},
	{"a pattern that takes exponential time", inHealth(`string.find(("a"):rep(200), ".-.-.-.-.-.-b")`), interpreter.BudgetSteps},
	{"the same through gsub", inHealth(`string.gsub(("a"):rep(200), ".-.-.-.-.-.-b", "")`), interpreter.BudgetSteps},
	{"the same through gmatch", inHealth(`for x in string.gmatch(("a"):rep(200), ".-.-.-.-.-.-b") do end`), interpreter.BudgetSteps},
	{"a set of a thousand characters, each time", inHealth(`string.find(("a"):rep(100000), "[" .. ("b"):rep(1000) .. "]*c")`), interpreter.BudgetSteps},
	{"balanced parentheses of a long text", inHealth(`string.find(("("):rep(20000), "%b()")`), interpreter.BudgetSteps},
	{"looking at a long text again and again", inHealth(`local s = ("a"):rep(1000000) while true do string.find(s, "b", 1, true) end`), interpreter.BudgetSteps},
	{"a text that doubles", inHealth(`local s = "xxxxxxxx" while true do s = s .. s end`), interpreter.BudgetMemory},
	{"a text that doubles at the end of a chain", inHealth(`local s = "x" while true do s = "" .. s .. s end`), interpreter.BudgetMemory},
	{"a text that doubles by upper", inHealth(`local s = "x" while true do s = table.concat({s:upper(), s}) end`), interpreter.BudgetMemory},
	{"rep", inHealth(`local s = ("x"):rep(2e8)`), interpreter.BudgetMemory},
	{"rep, often", inHealth(`local s = ("x"):rep(1e6) local t = {} for i = 1, 1e5 do t[i] = s:rep(3) end`), interpreter.BudgetMemory},
	{"rep, where the product overflows", inHealth(`local s = ("xx"):rep(2^62)`), interpreter.BudgetMemory},
	{"format with a wide field, often", inHealth(`local t = {} for i = 1, 1e6 do t[i] = string.format("%1000d", i) end`), interpreter.BudgetMemory},
	{"format that repeats a text", inHealth(`local s = ("x"):rep(1e6) local t = {} for i = 1, 1e6 do t[i] = s:format() .. string.format("%s%s%s", s, s, s) end`), interpreter.BudgetMemory},
	{"gsub that makes a text longer", inHealth(`local s = ("x"):rep(1e4) while true do s = string.gsub(s, "x", "%0%0%0%0") end`), interpreter.BudgetMemory},
	{"gsub with a captured text, often", inHealth(`local s = ("x"):rep(1e5) string.gsub(s, "^(.*)$", ("%1"):rep(500))`), interpreter.BudgetMemory},
	{"an array with a large gap", inHealth(`local t = {} for i = 1, 1000 do t[i] = {} t[i][65000] = 1 end`), interpreter.BudgetMemory},
	{"the same in a constructor", inHealth(`local t = {} local k = 65000 for i = 1, 1000 do t[i] = {[k] = 1} end`), interpreter.BudgetMemory},
	{"the same in two assignments at once", inHealth(`local t, k, x = {}, 65000 for i = 1, 1000 do local u = {} u[k], x = 1, 2 t[i] = u end`), interpreter.BudgetMemory},
	{"the same by table.insert", inHealth(`local t = {} for i = 1, 1000 do t[i] = {} table.insert(t[i], 65000, 1) end`), interpreter.BudgetMemory},
	{"many small tables", inHealth(`local t = {} while true do t[#t + 1] = {} end`), interpreter.BudgetMemory},
	{"many tables with a field", inHealth(`local t = {} while true do t[#t + 1] = {a = 1, b = 2} end`), interpreter.BudgetMemory},
	{"many tables that are filled later", inHealth(`local t = {} for i = 1, 1e6 do local u = {} u.a = 1 u.b = 2 u.c = 3 u.d = 4 u.e = 5 u.f = 6 u.g = 7 u.h = 8 u.i = 9 t[i] = u end`), interpreter.BudgetMemory},
	{"many fields", inHealth(`local t = {} for i = 1, 1e6 do t["k" .. i] = true end`), interpreter.BudgetMemory},
	{"many keys that are fractions", inHealth(`local t = {} for i = 1.5, 1e6 do t[i] = true end`), interpreter.BudgetMemory},
	{"many tables as keys", inHealth(`local t = {} while true do t[{}] = true end`), interpreter.BudgetMemory},
	{"many globals", inHealth(`for i = 1, 1e6 do _G["k" .. i] = true end`), interpreter.BudgetMemory},
	{"many functions", inHealth(`local t = {} for i = 1, 1e6 do local a, b, c = i, i, i t[i] = function() return a + b + c end end`), interpreter.BudgetMemory},
	{"many tables of arguments", inHealth(`local function f(...) return arg end local t = {} for i = 1, 1e6 do t[i] = f() end`), interpreter.BudgetMemory},
	{"large tables of arguments", inHealth(`local big = {} for i = 1, 4000 do big[i] = i end local function f(...) return {...} end local t = {} for i = 1, 1e6 do t[i] = f(unpack(big)) end`), interpreter.BudgetMemory},
	{"a table in the condition of a loop", inHealth(`local t = {} while (function() local u = {} t[#t + 1] = u return u end)() do end`), interpreter.BudgetMemory},
	{"a table in every link of a list", inHealth(`local t while true do t = {t} end`), interpreter.BudgetMemory},
	{"many tables in a loop by goto", inHealth(`local t ::again:: t = {a = 1, b = 2, c = 3, t = t} goto again`), interpreter.BudgetMemory},
	{"the same out of an inner block", inHealth(`local t do ::again:: do t = {a = 1, b = 2, c = 3, t = t} end if t then goto again end end`), interpreter.BudgetMemory},
	{"the same with several labels", inHealth(`local t ::a:: t = {t} ::b:: t = {a = 1, b = 2, c = 3, t = t} ::c:: if t then goto b end goto a`), interpreter.BudgetMemory},
	{"many functions in a loop by goto", inHealth(`local t ::again:: local u = t t = function() return u end goto again`), interpreter.BudgetMemory},
	{"what kube returns, often", inHealth(`local t, kube = {}, require("kube") for i = 1, 1e6 do t[i] = kube.emptyObject() end`), interpreter.BudgetMemory},
	{"recursion", `local function f() return 1 + f() end function InterpretHealth() return f() end`, interpreter.BudgetDepth},
	{"recursion, caught", `local function f() return 1 + f() end function InterpretHealth() return pcall(f) end`, interpreter.BudgetDepth},
	{"recursion through pcall", `local function f() pcall(f) end function InterpretHealth() f() return true end`, interpreter.BudgetDepth},
	{"recursion through sort", `local function f() table.sort({1, 2}, function() f() end) end function InterpretHealth() f() return true end`, interpreter.BudgetDepth},
	{"recursion through gsub", `local function f() string.gsub("a", "a", f) end function InterpretHealth() f() return true end`, interpreter.BudgetDepth},
}

func TestAttacks(t *testing.T) {
	e := newEngine()
	neighbor := corpus(t)[0]
	rule := compiled(t, e, neighbor.src)
	want, err := rule(t.Context(), neighbor.req)
	require.NoError(t, err)

	for _, attack := range attacks {
		t.Run(attack.reason, func(t *testing.T) {
			var spent interpreter.Usage
			ctx := interpreter.WithTrace(t.Context(), &interpreter.Trace{Spent: func(_ interpreter.Source, u interpreter.Usage) { spent = u }})
			hostile := compiled(t, e, source(interpreter.InterpretHealth, attack.text))

			before := allocated()
			resp, err := hostile(ctx, health(t))
			took := allocated() - before

			var over *interpreter.BudgetError
			require.ErrorAs(t, err, &over)
			assert.Equal(t, attack.want, over.Budget, err.Error())
			assert.Equal(t, "test.healthInterpretation", over.Rule)
			assert.Nil(t, resp)
			limits := script.Limits{}.WithDefaults()
			assert.LessOrEqual(t, spent.Steps, limits.Steps)
			assert.LessOrEqual(t, spent.Bytes, limits.Memory)
			// What an attack really takes of the process: the budget, and what an exact count would cost too much to tell.
			assert.Less(t, took, uint64(4*limits.Memory), "bytes allocated")

			got, err := rule(t.Context(), neighbor.req)
			require.NoError(t, err)
			assert.Equal(t, want, got, "the neighbor's answer")
		})
	}
}

// TestAttacksOnTheClock are those whose work nobody can count: the clock stops them, soon after the time is over.
func TestAttacksOnTheClock(t *testing.T) {
	e := lua.New(script.Limits{Timeout: 20 * time.Millisecond}, nil)
	text := inHealth(`local t = {} for i = 1, 25000 do local k = "k" .. i t[k] = i t[k] = nil end t.last = 1 while true do next(t) end`)
	_, err := compiled(t, e, source(interpreter.InterpretHealth, text))(t.Context(), health(t))
	var over *interpreter.BudgetError
	require.ErrorAs(t, err, &over)
	assert.Equal(t, interpreter.BudgetTime, over.Budget)
}

// TestHostileQuantities holds that a quantity that takes minutes to parse is refused, wherever a script puts it.
func TestHostileQuantities(t *testing.T) {
	for _, text := range []string{
		`kube.resourceAdd("1e-1000000000")`, `kube.getResourceQuantity("1e-1000000000")`,
		`kube.accuratePodRequirements({spec = {containers = {{name = "a", resources = {requests = {cpu = "1e-1000000000"}}}}}})`,
	} {
		src := source(interpreter.InterpretReplica, `local kube = require("kube") function GetReplicas() return 1, `+text+` end`)
		_, err := compiled(t, shared, src)(t.Context(), replicas(t))
		require.ErrorContains(t, err, "1e-1000000000")
	}
	src := source(interpreter.InterpretReplica, `function GetReplicas() return 1, {resourceRequest = {cpu = "1e-1000000000"}} end`)
	_, err := compiled(t, shared, src)(t.Context(), replicas(t))
	require.ErrorContains(t, err, `replicaRequirements.resourceRequest.cpu: want a quantity with an exponent of at most 99, got "1e-1000000000"`)
}

func replicas(tb testing.TB) *interpreter.Request {
	tb.Helper()
	req := &interpreter.Request{Operation: interpreter.InterpretReplica, Object: object(tb, "rollout")}
	require.NoError(tb, req.Complete())
	return req
}

func health(tb testing.TB) *interpreter.Request {
	tb.Helper()
	req := &interpreter.Request{Operation: interpreter.InterpretHealth, Object: object(tb, "rollout")}
	require.NoError(tb, req.Complete())
	return req
}

// allocated returns how many bytes the process has allocated so far.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

func TestResultsAreBounded(t *testing.T) {
	e := newEngine()
	tests := []struct{ reason, text, want string }{
		{"a table that is in itself", `local t = {} t.a = t return t`, "status.a: want a tree, got a table that contains itself"},
		{"by way of a list", `local t = {} t.a = {t} return t`, "status.a[0]: want a tree"},
		{"an input that was put into itself", `obj.spec.self = obj return obj`, "status.spec.self: want a tree"},
		{"a table that is used twice, thirty times over", `local t = {x = 1} for i = 1, 30 do t = {a = t, b = t} end return t`, "over its memory budget of 16Mi"},
		{"an input that is used twice, thirty times over", `local t = obj.spec for i = 1, 30 do t = {a = t, b = t} end return t`, "over its memory budget of 16Mi"},
		{"tables nested ten thousand deep", `local t = {x = 1} for i = 1, 10000 do t = {a = t} end return t`, "want tables nested at most 1000 deep"},
		{"a list of 65,535", `local t = {} for i = 1, 65535 do t[i] = 1 end return {t = t}`, "status.t: want a list of fewer than 65535 elements"},
		{"a list of 100,000", `local t = {} for i = 1, 100000 do table.insert(t, i) end return {t = t}`, "status.t: want a list"},
		{"a list with holes", `return {t = {1, nil, 3}}`, "status.t[1]: want a list without holes, got nil before element 3"},
		{"a list that begins late", `return {t = {[2] = 1}}`, "status.t[0]: want a list without holes"},
		{"a list that begins very late", `return {t = {[100000] = 1}}`, "status.t: want a name, or the numbers 1 to n, as keys, got 100000"},
		{"numbers and names", `return {t = {1, 2, a = 3}}`, "status.t: want a list or an object, got a table with both numbers and a string as keys"},
		{"a fraction as key", `return {t = {[1.5] = 3}}`, "got 1.5"},
		{"a boolean as key", `return {t = {[true] = 3}}`, "got true"},
		{"a name in a list of the input", `obj.status.conditions.x = 1 return obj`, "status.status.conditions: want a list or an object"},
		{"a hole in a list of the input", `obj.status.conditions[1] = nil return obj`, "status.status.conditions[0]: want a list without holes"},
		{"a function", `return {["a.b"] = {print}}`, `status["a.b"][0]: want a value that JSON has, got a function`},
		{"NaN", `return {a = 0/0}`, "status.a: want a number, got NaN"},
		{"infinity", `return {a = 1/0}`, "status.a: want a number, got +Inf"},
		{"a number that Lua rounds", `return {a = 2^60}`, "status.a: want a number that Lua holds exactly, at most 2^53, got 1.152921504606847e+18"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			rule := compiled(t, e, source(interpreter.InterpretStatus, "function ReflectStatus(obj) "+test.text+" end"))
			req := &interpreter.Request{Operation: interpreter.InterpretStatus, Object: object(t, "rollout")}
			require.NoError(t, req.Complete())
			before := allocated()
			_, err := rule(t.Context(), req)
			require.ErrorContains(t, err, test.want)
			assert.Less(t, allocated()-before, uint64(64<<20))
		})
	}
}

// TestHostileSources holds that no source crashes the process or keeps the compiler busy: each is refused at once, or
// compiled.
func TestHostileSources(t *testing.T) {
	e := lua.New(script.Limits{}, kube.Functions())
	const size = script.MaxSource - 200
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	tests := []struct{ reason, text, want string }{
		{"a million #", "return " + strings.Repeat("#", 1_000_000), "want a script of at most 65536 bytes"},
		{"60 KB of #", "return " + fill("#") + "x", "nested more than 150 deep"},
		{"60 KB of not", "return " + fill("not ") + "x", "nested more than 150 deep"},
		{"60 KB of -", "return " + fill("- ") + "x", "nested more than 150 deep"},
		{"a chain of powers", "return " + fill("-x^") + "x", "nested more than 150 deep"},
		{"a chain of ..", "return " + fill("x..") + "x", "nested more than 150 deep"},
		{"a sum", "return " + fill("x+") + "x", "nested more than 150 deep"},
		{"a chain of and", "return " + fill("x and ") + "x", "nested more than 150 deep"},
		{"parentheses", "return " + strings.Repeat("(", size/2) + "x" + strings.Repeat(")", size/2), "nested more than 150 deep"},
		{"tables", "return " + strings.Repeat("{", size/2) + strings.Repeat("}", size/2), "nested more than 150 deep"},
		{"indexes", "return " + strings.Repeat("x[", size/3) + "x" + strings.Repeat("]", size/3), "nested more than 150 deep"},
		{"functions", strings.Repeat("function f() ", size/17) + strings.Repeat("end ", size/17), "nested more than 150 deep"},
		{"blocks", strings.Repeat("do ", size/7) + strings.Repeat("end ", size/7), "nested more than 150 deep"},
		{"branches", strings.Repeat("if x then ", size/14) + strings.Repeat("end ", size/14), "nested more than 150 deep"},
		{"loops", strings.Repeat("repeat ", size/15) + strings.Repeat("until x ", size/15), "nested more than 150 deep"},
		{"fields of fields", "return x" + fill(".x"), "nested more than 150 deep"},
		{"calls of calls", "x" + fill("()"), "nested more than 150 deep"},
		{"calls with texts", "x" + fill("''"), "nested more than 150 deep"},
		{"powers behind a comment that looks longer", "--[==[ ]] ]==] return " + fill("-x^") + "x", "nested more than 150 deep"},
		{"powers behind a line that ends with a carriage return", "-- comment\rreturn " + fill("-x^") + "x", "nested more than 150 deep"},
		{"powers behind a number that swallows a quote", `local y = 1e" return ` + fill("-x^") + "x", "nested more than 150 deep"},
		{"powers behind a fraction that swallows a bracket", `local y = .5E+[ [[ ]] return ` + fill("-x^") + "x", "nested more than 150 deep"},
		{"operators glued to numbers", "return " + fill("1and ") + "x", "nested more than 150 deep"},
		{"powers behind a string that goes on", "local y = \"a\\\r\n\\\"\" return " + fill("-x^") + "x", "nested more than 150 deep"},
		{"powers behind a long string of another level", "local y = [=[ ]] ]==] ]=] return " + fill("-x^") + "x", "nested more than 150 deep"},
		{"powers behind a text with quotes", `return "\"" , ` + fill("-x^") + "x", "nested more than 150 deep"},
		{"a text without end", `return "` + fill("a"), "unterminated string"},
		{"a comment without end", "--[[" + fill("a"), "invalid multiline comment: the script ends too early"},
		{"a character that Lua does not know", "return \x00", "Invalid token"},
		{"bytes that are no text", "\xff\xfe", "Invalid token"},
		{"many else ifs", "local x if x then " + fill("elseif x then ") + "end", ""},
		{"many statements", fill("x=1 "), ""},
		{"many calls", "local f = print " + strings.Repeat("f(1) ", 100), ""},
		{"many constants", "local t = {" + numbers(9000) + "}", ""},
		{"many locals", fill("local x "), "too many local variables"},
		{"many functions", strings.Repeat("function f() end ", 3000), ""},
		{"a long text", `local x = "` + fill("a") + `"`, ""},
		{"many gotos", strings.Repeat("goto a ", 5000) + "::a::", ""},
		{"a goto to nowhere", "goto a", "no visible label"},
		{"a break out of nothing", "break", "no loop to break"},
		{"many arguments", "print(" + strings.Repeat("1,", 1000) + "1)", "register overflow"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			text := test.text
			if test.want == "" {
				text += "\nfunction InterpretHealth() end"
			}
			before := allocated()
			_, _, err := e.Compile(source(interpreter.InterpretHealth, text))
			assert.Less(t, allocated()-before, uint64(512<<20), "bytes allocated")
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
			var problems script.Problems
			require.ErrorAs(t, err, &problems)
		})
	}
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("1", 1+i%5))
		b.WriteString(",")
	}
	return b.String()
}
