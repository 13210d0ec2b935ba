-- InterpretStatus rollout
local function counter()
  local n = 0
  return function(by) n = n + (by or 1) return n end, function() return n end
end

local function each(list)
  local i = 0
  return function()
    i = i + 1
    if list[i] ~= nil then return i, list[i].name end
  end
end

local function map(list, f)
  local out = {}
  for i, v in ipairs(list) do out[i] = f(v, i) end
  return out
end

local function filter(list, keep)
  local out = {}
  for _, v in ipairs(list) do if keep(v) then out[#out + 1] = v end end
  return out
end

local function reduce(list, f, start)
  local value = start
  for _, v in ipairs(list) do value = f(value, v) end
  return value
end

local function curry(f, a) return function(...) return f(a, ...) end end

function ReflectStatus(o)
  local bump, read = counter()
  bump() bump(5)
  local functions = {}
  for i = 1, 3 do functions[i] = function() return i * 10 end end
  local names = {}
  for i, name in each(o.spec.template.spec.volumes) do names[i] = i .. name end
  return {
    count = read(), each = names, loop = map(functions, function(f) return f() end),
    named = map(o.spec.template.spec.containers, function(c) return c.name end),
    secrets = #filter(o.spec.template.spec.volumes, function(v) return v.secret ~= nil end),
    sum = reduce(o.spec.template.spec.containers, function(n, c) return n + #(c.ports or {}) end, 0),
    curried = curry(string.format, "%s-%d")("x", 3), max = curry(math.max, 3)(1, 2),
  }
end
