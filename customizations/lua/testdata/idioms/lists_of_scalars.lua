-- InterpretStatus gateway
function ReflectStatus(o)
  local args = o.spec.args
  local copy = { unpack(args) }
  copy[1] = "changed"
  table.sort(copy)
  local weights = { unpack(o.spec.weights) }
  table.sort(weights, function(a, b) return a > b end)
  local sum = 0
  for _, w in pairs(o.spec.weights) do sum = sum + w end
  local options = {}
  for _, arg in ipairs(args) do
    local key, value = arg:match("^%-%-([%w_-]+)=?(.*)$")
    if key then options[key] = value ~= "" and value or "true" end
  end
  args[#args] = nil
  args[#args + 1] = "--last"
  table.insert(args, 2, "--second")
  return {
    line = table.concat(args, " "), part = table.concat(args, ",", 2, 3), copy = copy, weights = weights, sum = sum, options = options,
    numbers = table.concat(o.spec.weights, ";"), n = #args, biggest = math.max(unpack(o.spec.weights)), words = select("#", unpack(args)),
    text = o.spec.text, lines = #o.spec.text, first = o.spec.text:match("^(.-)\n"), name = o.metadata.name:upper(), length = #o.metadata.name,
  }
end
