-- InterpretStatus rollout
function ReflectStatus(observedObj)
  local conditions = observedObj.status.conditions
  table.sort(conditions, function(a, b) return a.lastTransitionTime < b.lastTransitionTime end)
  local keys = {}
  for key in pairs(observedObj.metadata.labels) do keys[#keys + 1] = key end
  table.sort(keys)
  local down = { 3, 10, 2.5, -1 }
  table.sort(down, function(a, b) return a > b end)
  local words = { "b", "B", "a", "10", "9", "" }
  table.sort(words)
  local byLength = { "aaa", "b", "cc" }
  table.sort(byLength, function(a, b) return #a < #b end)
  return { conditions = conditions, first = conditions[1].type, keys = table.concat(keys, ","), down = down, words = words, byLength = byLength }
end
