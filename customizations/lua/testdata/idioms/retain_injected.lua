-- Retain rollout
local function byName(list)
  local out = {}
  for i, e in ipairs(list or {}) do out[e.name] = i end
  return out
end

local function startsWith(s, prefix) return string.sub(s, 1, string.len(prefix)) == prefix end

function Retain(desiredObj, observedObj)
  local keep = { "volumes", "containers" }
  for _, field in ipairs(keep) do
    local have = byName(desiredObj.spec.template.spec[field])
    for _, e in ipairs(observedObj.spec.template.spec[field]) do
      if have[e.name] == nil then table.insert(desiredObj.spec.template.spec[field], e) end
    end
  end
  desiredObj.metadata.annotations = desiredObj.metadata.annotations or {}
  for k, v in pairs(observedObj.metadata.annotations) do
    if startsWith(k, "owner") or k:find("karmada.io/", 1, true) then
      desiredObj.metadata.annotations[k .. ".kept"] = v
    end
  end
  if desiredObj.metadata.labels["resourcetemplate.karmada.io/retain-replicas"] == "true" then
    desiredObj.spec.replicas = observedObj.spec.replicas
  end
  desiredObj.spec.paused = nil
  desiredObj.spec.template.spec.containers[1].resources.limits = nil
  desiredObj.spec.updateStrategy.partition = observedObj.spec.updateStrategy.partition
  desiredObj.status = observedObj.status
  return desiredObj
end
