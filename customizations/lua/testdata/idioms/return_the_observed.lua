-- Retain gateway
local function restore(to, from, ...)
  for _, field in ipairs({ ... }) do
    if to[field] ~= nil then from[field] = to[field] end
  end
  return from
end

function Retain(desiredObj, observedObj)
  local merged = restore(desiredObj.spec, observedObj.spec, "args", "text", "absent")
  merged.weights[1], merged.weights[#merged.weights] = merged.weights[#merged.weights], merged.weights[1]
  observedObj.spec = merged
  return observedObj
end
