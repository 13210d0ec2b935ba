-- InterpretStatus gateway
function ReflectStatus(o)
  local queue, visited = { { "spec", o.spec } }, {}
  while #queue > 0 do
    local item = table.remove(queue, 1)
    local path, value = item[1], item[2]
    visited[#visited + 1] = path
    if type(value) == "table" then
      local keys = {}
      for k in pairs(value) do keys[#keys + 1] = tostring(k) end
      table.sort(keys)
      for _, k in ipairs(keys) do
        local inner = value[k]
        if inner == nil then inner = value[tonumber(k)] end
        table.insert(queue, { path .. "." .. k, inner })
      end
    end
  end
  local stack, top = {}, 0
  for _, v in ipairs(o.spec.weights) do top = top + 1; stack[top] = v end
  local popped = {}
  while top > 0 do popped[#popped + 1] = stack[top]; stack[top] = nil; top = top - 1 end
  return { visited = visited, popped = popped, left = #stack }
end
