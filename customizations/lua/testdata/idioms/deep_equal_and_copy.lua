-- InterpretHealth rollout
local function copy(value)
  if type(value) ~= "table" then return value end
  local out = {}
  for k, v in pairs(value) do out[copy(k)] = copy(v) end
  return out
end

local function equal(a, b)
  if type(a) ~= type(b) then return false end
  if type(a) ~= "table" then return a == b end
  for k, v in pairs(a) do
    if not equal(v, b[k]) then return false end
  end
  for k in pairs(b) do
    if a[k] == nil then return false end
  end
  return true
end

function InterpretHealth(observedObj)
  local other = copy(observedObj)
  if not equal(other, observedObj) or other == observedObj then return false end
  other.spec.template.spec.containers[2].image = "another"
  return not equal(other, observedObj) and equal(other.metadata, observedObj.metadata)
    and observedObj.spec == observedObj.spec and observedObj.spec.template == observedObj["spec"]["template"]
end
