-- AggregateStatus gateway gateway-members
function AggregateStatus(desiredObj, statusItems)
  if statusItems == nil or #statusItems == 0 then
    desiredObj.status = nil
    return desiredObj
  end
  local merged = {}
  for i = #statusItems, 1, -1 do
    for k, v in pairs(statusItems[i].status or {}) do merged[k] = v end
  end
  merged.counts.total = merged.counts.ok + merged.counts.failed
  merged.addresses[2] = { value = "added" }
  desiredObj.status = merged
  desiredObj.status.members = #statusItems
  return desiredObj
end
