-- InterpretHealth rollout
local wanted = { Available = "True", Progressing = "True", Failed = "False" }

function InterpretHealth(observedObj)
  local conditions = {}
  if observedObj.status ~= nil and observedObj.status.conditions ~= nil then
    for conditionIndex = 1, #observedObj.status.conditions do
      local c = observedObj.status.conditions[conditionIndex]
      conditions[c.type] = c
    end
  end
  for name, value in pairs(wanted) do
    local c = conditions[name]
    if c ~= nil and c.status ~= value then return false, name .. " is " .. c.status end
  end
  return not (conditions.Available == nil) and conditions["Progressing"].reason ~= "ProgressDeadlineExceeded"
end
