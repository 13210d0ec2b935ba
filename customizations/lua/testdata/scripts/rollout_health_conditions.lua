-- InterpretHealth rollout
function InterpretHealth(observedObj)
  if observedObj == nil or observedObj.status == nil or observedObj.status.conditions == nil then
    return false
  end
  for i = 1, #observedObj.status.conditions do
    local condition = observedObj.status.conditions[i]
    if condition.type == "Available" and condition.status == "True" then
      return true
    end
  end
  return false
end
