-- InterpretHealth gateway
local healthy = { Ready = true, Running = true, Pending = false }
local weight = setmetatable == nil and 0 or 1

function InterpretHealth(observedObj)
  local status = observedObj.status or {}
  if healthy[status.phase] == nil then return false end
  local total = (status.counts.ok or 0) + (status.counts.failed or 0)
  local ratio = total > 0 and status.counts.ok / total or 0
  local level = tonumber(observedObj.spec.flags.level) or 0
  return healthy[status.phase] and ratio >= 0.9 and level >= 3 and status.observedGeneration + 1 == observedObj.metadata.generation
    and (#status.addresses ~= 0) and status.addresses[#status.addresses].value:find(":", 1, true) ~= nil
end
