-- InterpretStatus rollout
-- What a chunk leaves behind is there when the function is called.
VERSION = "v" .. 1 + 1
local cache = {}
counter = 0
defaults = { replicas = 1, names = { "a", "b" } }
local M = {}
function M.bump(by) counter = counter + (by or 1) return counter end
function M.cached(key, make)
  if cache[key] == nil then cache[key] = make(key) end
  return cache[key]
end
M["with space"] = function() return "called" end
type_of = type

local function defined() return "first" end
local function defined() return "second" end

function ReflectStatus(o)
  result = { version = VERSION }
  M.bump(); M.bump(2)
  result.counter = counter
  result.cached = M.cached("x", function(k) return k .. k end) .. M.cached("x", function() return "again" end)
  result.space = M["with space"]()
  result.kind = type_of(o)
  result.defined = defined()
  defaults.replicas = defaults.replicas + 1
  result.defaults = defaults
  result.undefined = undefinedGlobal == nil
  local type = o.kind
  result.type = type
  local string = { upper = function(s) return "own " .. s end }
  result.own = string.upper("x")
  return result
end
