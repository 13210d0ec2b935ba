-- AggregateStatus training training-members
local function omit(value)
  return value ~= nil and value ~= 0
end

function AggregateStatus(desiredObj, statusItems)
  if statusItems == nil then
    return desiredObj
  end
  if #statusItems == 1 then
    desiredObj.status = statusItems[1].status
    return desiredObj
  end
  local status = {}
  local startTime, completionTime, lastReconcileTime = nil, nil, nil
  local replicaStatuses = {}
  local failed, succeeded = {}, 0
  for i = 1, #statusItems do
    local current = statusItems[i].status
    if current ~= nil then
      if startTime == nil or current.startTime < startTime then
        startTime = current.startTime
      end
      if current.completionTime ~= nil and (completionTime == nil or current.completionTime > completionTime) then
        completionTime = current.completionTime
      end
      if lastReconcileTime == nil or current.lastReconcileTime > lastReconcileTime then
        lastReconcileTime = current.lastReconcileTime
      end
      if current.replicaStatuses ~= nil then
        for role, counts in pairs(current.replicaStatuses) do
          if replicaStatuses[role] == nil then
            replicaStatuses[role] = { active = 0, succeeded = 0, failed = 0 }
          end
          replicaStatuses[role].active = replicaStatuses[role].active + (counts.active or 0)
          replicaStatuses[role].succeeded = replicaStatuses[role].succeeded + (counts.succeeded or 0)
          replicaStatuses[role].failed = replicaStatuses[role].failed + (counts.failed or 0)
        end
      end
      for _, condition in ipairs(current.conditions or {}) do
        if condition.status == "True" then
          if condition.type == "Failed" then
            table.insert(failed, statusItems[i].clusterName)
          elseif condition.type == "Succeeded" then
            succeeded = succeeded + 1
          end
        end
      end
    end
  end
  if #failed > 0 then
    status.conditions = { { type = "Failed", status = "True", reason = "JobFailed", message = "failed in " .. table.concat(failed, ",") } }
  elseif succeeded == #statusItems then
    status.conditions = { { type = "Succeeded", status = "True", reason = "Completed", message = "all members finished" } }
  end
  if omit(startTime) then
    status.startTime = startTime
  end
  if omit(completionTime) and #failed == 0 then
    status.completionTime = completionTime
  end
  status.lastReconcileTime = lastReconcileTime
  status.replicaStatuses = replicaStatuses
  desiredObj.status = status
  return desiredObj
end
