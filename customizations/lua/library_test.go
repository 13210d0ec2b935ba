package lua_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	glua "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/interpreter"
)

// expressions have the same value here and in gopher-lua's own libraries, which the peer uses.
var expressions = []string{
	`type(nil), type(1), type("x"), type({}), type(print), type(true)`,
	`tostring(nil), tostring(true), tostring(1), tostring(1.5), tostring(1e15), tostring(1e100), tostring(-0.0), tostring(2^63), tostring(0.1)`,
	`tonumber("10"), tonumber(" 10 "), tonumber("10x"), tonumber(""), tonumber("0x1F"), tonumber("1e3"), tonumber("1.5e3"), tonumber(".5"), tonumber("5."), tonumber(nil), tonumber({}), tonumber(true), tonumber(7)`,
	`tonumber("z", 36), tonumber("777", 8), tonumber("8", 8), tonumber("-ff", 16), tonumber("9007199254740992")`,
	`select("#"), select("#", nil, nil), select(2, "a", "b", "c"), select(-1, "a", "b")`,
	`unpack({1, 2, 3}), unpack({1, 2, 3}, 2), unpack({1, 2, 3}, 2, 3), unpack({}, 1, 2)`,
	`pcall(error), pcall(error, nil), pcall(error, "x", 0), pcall(error, "x", 2), pcall(nil), pcall(1)`,
	`pcall(assert, false), pcall(assert, nil, "no"), assert(1, 2, 3)`,
	`pcall(ipairs), pcall(pairs, nil), pcall(next, 1), pcall(type), pcall(tostring), pcall(unpack)`,
	`next({}), next({1}), next({a = 1}), next({1, 2}, 1), next({1, 2}, 2)`,
	`xpcall(function() return 1, 2 end, print), xpcall(function() error("x", 0) end, function(e) return e .. "!" end)`,
	`string.sub("hello", 2), string.sub("hello", 2, 3), string.sub("hello", -3), string.sub("hello", -3, -2), string.sub("hello", 0), string.sub("hello", 10), string.sub("hello", 3, 2), string.sub("hello", -100, 100)`,
	`string.byte("abc"), string.byte("abc", 2), string.byte("abc", 1, -1), string.byte("abc", -1), string.byte("abc", 10), string.byte("", 1)`,
	`string.char(), string.char(97, 98), string.len("abc"), string.len("\0x"), string.reverse("abc"), string.lower("ABC"), string.upper("abc"), string.rep("ab", 3), string.rep("ab", 0), string.rep("ab", -1)`,
	`string.find("hello", "l"), string.find("hello", "xyz"), string.find("hello", "l", 4), string.find("hello", "l", -1), string.find("hello", "(h)(.)"), string.find("a.b", ".", 1, true), string.find("a+b", "+", 1, true)`,
	`string.match("hello", "l+"), string.match("hello", "(h)(e)"), string.match("hello", "()ll()"), string.match("hello", "xyz"), string.match("key=value", "(%w+)=(%w+)"), string.match("  trim  ", "^%s*(.-)%s*$"), string.match("2026-05-19", "(%d+)-(%d+)-(%d+)")`,
	`string.match("a1b2", "%a%d"), string.match("[x]", "%[(.-)%]"), string.match("x^y", "x^y"), string.match("x$y", "x$y"), string.match("abc", "^b"), string.match("abc", "c$"), string.match("aXb", "%u"), string.match("a b", "%s"), string.match("a_b", "[%w_]+"), string.match("a-b", "[a%-]+"), string.match("]", "[]]"), string.match("f(a(b)c)d", "%b()")`,
	`string.match("abcabc", "(abc)%1"), string.match("abc", "[^b]+"), string.match("a-z", "[a-]+"), string.match("0x1F", "%x+"), string.match("tab\tx", "%c"), string.match("a.b", "%p"), string.match("xyz", "x?y?z?"), string.match("", ".*")`,
	`string.gsub("hello", "l", "L"), string.gsub("hello", "l", "L", 1), string.gsub("hello", "(l)(o)", "%2%1"), string.gsub("hello", ".", {h = "H", e = false}), string.gsub("hello", "%w", function(c) return c == "l" and "1" or nil end), string.gsub("abc", "b", "")`,
	`string.format("%d", 3.9), string.format("%5d|%-5d|%05d", 1, 2, 3), string.format("%s %s", "a", 1), string.format("%5.1f", 2.25), string.format("%x %X %o", 255, 255, 8), string.format("%c", 65), string.format("%e", 1.5), string.format("%g", 0.1), string.format("%%"), string.format("%q", "a\nb"), string.format("%s", nil), string.format("%s", true), string.format("%10s|%-10s|", "a", "b"), string.format("%i", 7), string.format("%.3s", "abcdef"), string.format("%d", "12")`,
	`table.concat({}), table.concat({1, 2, 3}), table.concat({1, 2, 3}, ", "), table.concat({1, 2, 3}, ",", 2), table.concat({1, 2, 3}, ",", 2, 3), table.concat({"a"}, ",", 3)`,
	`(function() local t = {} table.insert(t, "a") table.insert(t, 1, "b") table.insert(t, 2, "c") return table.concat(t, ",") end)()`,
	`(function() local t = {1, 2, 3} return table.remove(t), table.remove(t, 1), #t, t[1], table.remove({}), table.remove(t, 5) end)()`,
	`(function() local t = {3, 1, 2} table.sort(t) local u = {3, 1, 2} table.sort(u, function(a, b) return a > b end) return table.concat(t, ",") .. table.concat(u, ",") end)()`,
	`(function() local t = {"b", "a", "C"} table.sort(t) return table.concat(t) end)()`,
	`pcall(table.sort, {1, "x"}), pcall(table.concat, {{}}), pcall(table.insert, {}), pcall(table.insert, nil, 1)`,
	`table.getn({1, 2, 3}), table.maxn({1, 2, nil, 4}), #{1, 2, nil, 4}`,
	`math.abs(-1), math.ceil(1.2), math.floor(-1.2), math.max(1, 3, 2), math.min(1, 3, 2), math.fmod(-7, 3), math.mod(-7, 3), math.pow(2, 10), math.sqrt(16), math.pi, math.huge, math.exp(0), math.log(1), math.log10(100)`,
	`math.modf(1.5), math.frexp(8), math.ldexp(1, 3), math.deg(math.pi), math.rad(180), math.sin(0), math.cos(0), math.tan(0), math.atan2(0, 1)`,
	`os.difftime(90, 30), os.difftime(1, 2.5), pcall(os.difftime, 1, {})`,
	`pcall(math.max), pcall(math.floor, "x"), math.floor("2.5")`,
	`1 / 0 > 1e300, 5 % 3, -5 % 3, 5 % -3, 2 ^ 0.5, 7 / 2, "10" + 1, "3" * "4", 10 .. 20`,
	`pcall(function() return 1 < "2" end), pcall(function() return {} < {} end), pcall(function() return nil + 1 end), pcall(function() return -{} end), pcall(function() return #nil end), pcall(function() local f f() end)`,
	`"a" < "b", "a" < "B", "" < "a", "10" < "9"`,
	`(function() local out = {} for w in string.gmatch("one two  three", "%a+") do out[#out + 1] = w end return table.concat(out, ",") end)()`,
	`(function() local out = {} for k, v in string.gmatch("a=1, b=2", "(%w+)=(%w+)") do out[#out + 1] = k .. v end return table.concat(out, ",") end)()`,
	`(function() local out = {} for i, v in ipairs({1, 2, nil, 4}) do out[#out + 1] = i .. "=" .. v end return table.concat(out, ",") end)()`,
}

func TestLibraryAsThePeers(t *testing.T) {
	for _, expression := range expressions {
		t.Run(expression, func(t *testing.T) {
			body := "local function show(...) local out = {} for i = 1, select('#', ...) do out[i] = type((select(i, ...))) .. ':' .. tostring((select(i, ...))) end return table.concat(out, ' ') end\n" +
				"function InterpretHealth() return 'Healthy', show(" + expression + ") end"
			l := glua.NewState()
			defer l.Close()
			require.NoError(t, l.DoString(body))
			require.NoError(t, l.CallByParam(glua.P{Fn: l.GetGlobal("InterpretHealth"), NRet: 2, Protect: true}))
			want := l.ToString(-1)

			resp, err := compiled(t, shared, source(interpreter.InterpretHealth, body))(t.Context(), health(t))
			require.NoError(t, err)
			assert.Equal(t, want, resp.Health.Message)
		})
	}
}

// TestNoAddresses holds that nothing a script can see or say holds an address of the process: answers would differ.
func TestNoAddresses(t *testing.T) {
	for _, text := range []string{
		`tostring({}) .. tostring(print) .. tostring(obj)`, `string.format("%s %v", {}, print)`, `"" .. #tostring(print)`,
		`select(2, pcall(function() local t return t[{}] end))`, `select(2, pcall(function() local t t[print] = 1 end))`,
		`select(2, pcall(function() return ("x") + obj end))`,
	} {
		resp, err := compiled(t, shared, source(interpreter.InterpretHealth, "function InterpretHealth(obj) return 'Healthy', "+text+" end"))(t.Context(), health(t))
		require.NoError(t, err)
		assert.NotContains(t, resp.Health.Message, "0x")
		assert.NotContains(t, resp.Health.Message, "userdata")
	}
	for _, text := range []string{`error(print)`, `local t t[{}] = 1`, `local t local x = t[print]`, `local s = {} .. ""`, `local s = obj .. ""`, `local s = obj < obj`} {
		_, err := compiled(t, shared, source(interpreter.InterpretHealth, inHealth(text)))(t.Context(), health(t))
		require.Error(t, err)
		assert.False(t, strings.Contains(err.Error(), "0x") || strings.Contains(err.Error(), "userdata"), err.Error())
	}
}
