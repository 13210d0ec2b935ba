-- Functions that are globals, used before they stand there, and give nil or a table.
function replicas_status(obj)
  hs = {}
  local wanted = number_or(obj.spec.replicas, 1)
  updated = number_or(obj.status.updatedReplicas, 0)
  available = number_or(obj.status.availableReplicas, 0)
  if updated < wanted then
    hs.status = "Progressing"
    hs.message = "more replicas need to be updated"
    return hs
  end
  if available < updated then
    hs.status = "Progressing"
    hs.message = "updated replicas become available"
    return hs
  end
  return nil
end

function stable(obj)
  if obj.status.stable ~= nil then
    return obj.status.stable
  end
  if obj.status.canary ~= nil then
    return obj.status.canary.stable
  end
  return ""
end

function number_or(field, default)
  if field ~= nil then
    return field
  end
  return default
end

function pause_status(obj)
  hs = {}
  hs.status = "Suspended"
  hs.message = "paused"
  if obj.status.pauses ~= nil and table.getn(obj.status.pauses) > 0 then
    return hs
  end
  if obj.spec.paused ~= nil and obj.spec.paused then
    return hs
  end
  return nil
end

function is_observed(obj)
  if obj.status == nil then
    return false
  end
  -- Once it was a hash.
  observed = tonumber(obj.status.observedGeneration)
  if observed == nil or observed > obj.metadata.generation then
    return true
  end
  return observed == obj.metadata.generation
end

hs = {}
if not is_observed(obj) then
  hs.status = "Progressing"
  hs.message = "the change is not observed"
  return hs
end
paused = pause_status(obj)
if paused ~= nil then
  return paused
end
waiting = replicas_status(obj)
if waiting ~= nil then
  return waiting
end
local stable_hash = stable(obj)
if obj.status.hash ~= stable_hash then
  hs.status = "Progressing"
  hs.message = "steps are left"
  return hs
end
hs.status = "Healthy"
hs.message = ""
return hs
