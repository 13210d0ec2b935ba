-- InterpretStatus gateway
index = 1
function next_index() index = index + 1 return index end
local function outer()
  local value = "outer"
  local function inner() value = value .. "+inner" return value end
  inner()
  return inner()
end
function helper(list, f) for i, v in ipairs(list) do f(v, i) end end
status = {}

function ReflectStatus(o)
  status.index = next_index() + next_index()
  status.outer = outer()
  helper(o.spec.args, function(v, i) status["arg" .. i] = v end)
  for index = 10, 11 do status.inner = index end
  status.after = index
  local index = "local"
  status.shadowed = index
  status.global = _G.index
  status.has = _G.helper ~= nil and _G["nothing"] == nil
  new_global = 5
  status.made = _G.new_global
  if true then local hidden = 1; status.hidden = hidden end
  status.gone = tostring(hidden)
  return status
end
