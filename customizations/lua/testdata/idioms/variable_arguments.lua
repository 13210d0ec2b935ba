-- InterpretStatus rollout
local function merge(...)
  local out = {}
  for i = 1, select("#", ...) do
    local t = select(i, ...)
    if t then
      for k, v in pairs(t) do out[k] = v end
    end
  end
  return out
end

local function count(...) return select("#", ...), ... end
local function nothing() end
local function two() return "a", "b" end

function ReflectStatus(o)
  local n, first = count(nil, nil, 3)
  local list = { two(), two() }
  local cut = { (two()) }
  local empty = { nothing() }
  local a, b, c = two()
  return {
    labels = merge(o.metadata.labels, nil, o.metadata.annotations, { app = "other" }),
    n = n, first = tostring(first), list = list, cut = cut, empty = #empty, rest = { a, b, tostring(c) },
    unpacked = { unpack({ 1, 2, 3 }, 2) }, names = { (function(...) return ... end)(unpack(o.spec.template.spec.containers[1].ports)) },
    args = select("#", unpack(o.spec.template.spec.containers)),
  }
end
