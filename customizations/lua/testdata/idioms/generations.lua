-- AggregateStatus flink flink-members
function AggregateStatus(desiredObj, statusItems)
  if statusItems == nil then return desiredObj end
  if desiredObj.status == nil then desiredObj.status = {} end
  local status = desiredObj.status
  local caught = 0
  for _, item in pairs(statusItems) do
    if item.status ~= nil then
      local generation, observed = item.status.resourceTemplateGeneration or 0, item.status.observedGeneration or 0
      local member = item.status.generation or 0
      if generation == desiredObj.metadata.generation and member == observed then caught = caught + 1 end
      status.jobStatus = item.status.jobStatus
      error = item.status.error
      status.error = error
    end
  end
  if caught == #statusItems then status.observedGeneration = desiredObj.metadata.generation end
  status.caught = caught
  return desiredObj
end
