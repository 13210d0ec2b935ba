-- InterpretStatus rollout
--[[ a comment
of several lines ]]
--[==[ and ]] another ]==]
local long = [[
line one
line "two"\n]]
local level = [==[a]]b]==]
local escapes = "tab\tnewline\nquote\"backslash\\decimal\065\
continued"
local a, b, c = 1, 2; local d = 3;
local t = { 1, 2; 3, x = 1, ["y z"] = 2, [10] = "ten", }
local function f(s) return s end

function ReflectStatus(o)
  t[10] = nil
  local called = { f"string", f[[long]], f{ 1 }[1], #f"abc", ("x"):upper(), ("%d"):format(3), #"four" }
  local n = not nil == true and 2 ^ 3 ^ 2 or 0
  local precedence = { 1 + 2 * 3 - 4 / 2, (1 + 2) * 3, -2 ^ 2, not true == false, 1 .. 2 == "12", "a" .. "b" .. "c" == "abc", 5 > 3 == true, 7 % 4 * 2 }
  local shadow = 1; do local shadow = shadow + 1; b = shadow end
  return { long = long, level = level, escapes = escapes, called = called, n = n, precedence = precedence, list = { t[1], t[2], t[3], #t }, d = d, b = b, c = tostring(c), yz = t["y z"], shadow = shadow }
end
