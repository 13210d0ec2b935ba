-- InterpretHealth training
function InterpretHealth(observedObj)
  if observedObj.status == nil or observedObj.status.conditions == nil then
    return false
  end
  for _, condition in ipairs(observedObj.status.conditions) do
    if condition.type == "Failed" and condition.status == "True" then
      return false
    end
  end
  for _, condition in ipairs(observedObj.status.conditions) do
    if (condition.type == "Running" or condition.type == "Succeeded") and condition.status == "True" then
      return true
    end
  end
  return false
end
