-- AggregateStatus rollout rollout-members
local function sortedKeys(t)
  local keys = {}
  for key in pairs(t) do
    table.insert(keys, key)
  end
  table.sort(keys)
  return keys
end

function AggregateStatus(desiredObj, statusItems)
  local byType = {}
  for _, item in ipairs(statusItems) do
    if item.status ~= nil and item.status.conditions ~= nil then
      for _, condition in ipairs(item.status.conditions) do
        local key = condition.type .. "/" .. condition.status
        local merged = byType[key]
        if merged == nil then
          merged = {
            type = condition.type,
            status = condition.status,
            reason = condition.reason,
            message = item.clusterName .. "=" .. condition.message,
            lastTransitionTime = condition.lastTransitionTime,
          }
          byType[key] = merged
        else
          merged.message = merged.message .. ", " .. item.clusterName .. "=" .. condition.message
          if condition.lastTransitionTime > merged.lastTransitionTime then
            merged.lastTransitionTime = condition.lastTransitionTime
          end
        end
      end
    end
  end
  local conditions = {}
  for _, key in ipairs(sortedKeys(byType)) do
    conditions[#conditions + 1] = byType[key]
  end
  desiredObj.status.conditions = conditions
  return desiredObj
end
