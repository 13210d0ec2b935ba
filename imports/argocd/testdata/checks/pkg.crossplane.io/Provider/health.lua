-- More exact than _.crossplane.io/_.
local found = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, c in ipairs(obj.status.conditions) do
    found[c.type] = c
  end
end
if found.Installed == nil then
  return {status = "Progressing", message = "installing"}
end
if found["Healthy"] and found["Healthy"].status == "True" then
  return {status = "Healthy", message = "installed"}
end
return {status = "Degraded", message = found.Healthy and found.Healthy.reason or "nobody knows"}
