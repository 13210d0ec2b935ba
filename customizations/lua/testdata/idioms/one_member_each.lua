-- AggregateStatus gateway gateway-members
function AggregateStatus(desiredObj, statusItems)
  local status = { phases = {}, addresses = {}, counts = {}, skipped = {} }
  local generation, oldest = nil, nil
  for i = 1, #statusItems do
    local item = statusItems[i]
    if item.status == nil or item.status.phase == nil then
      table.insert(status.skipped, { cluster = item.clusterName, message = item.appliedMessage, applied = item.applied, health = item.health })
    else
      status.phases[item.status.phase] = (status.phases[item.status.phase] or 0) + 1
      for _, address in ipairs(item.status.addresses) do table.insert(status.addresses, address) end
      for name, n in pairs(item.status.counts or {}) do status.counts[name] = (status.counts[name] or 0) + n end
      if generation == nil or item.status.observedGeneration < generation then generation = item.status.observedGeneration end
      if oldest == nil or item.status.startTime < oldest then oldest = item.status.startTime end
    end
  end
  status.observedGeneration = generation
  status.startTime = oldest
  status.ready = string.format("%d/%d", status.phases.Ready or 0, #statusItems)
  desiredObj.status = status
  return desiredObj
end
