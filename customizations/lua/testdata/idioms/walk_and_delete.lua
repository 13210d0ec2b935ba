-- InterpretStatus rollout
local function prune(value)
  if type(value) ~= "table" then return value end
  for k, v in pairs(value) do
    if v == false or v == "" or v == 0 then
      value[k] = nil
    elseif type(v) == "table" then
      prune(v)
    end
  end
  return value
end

local function count(value)
  local n = 1
  if type(value) == "table" then
    for _, v in pairs(value) do n = n + count(v) end
  end
  return n
end

function ReflectStatus(o)
  local before = count(o)
  prune(o.spec)
  local paths = {}
  local function walk(value, path)
    if type(value) == "table" then
      for k, v in pairs(value) do walk(v, path .. "." .. k) end
    else
      paths[#paths + 1] = path .. "=" .. tostring(value)
    end
  end
  walk(o.spec.updateStrategy, "updateStrategy")
  table.sort(paths)
  for k in pairs(o.metadata) do if k ~= "name" then o.metadata[k] = nil end end
  return { before = before, after = count(o), paths = paths, spec = o.spec.updateStrategy, metadata = o.metadata }
end
