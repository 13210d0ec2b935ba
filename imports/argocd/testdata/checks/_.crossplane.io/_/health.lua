-- Managed resources of every provider.
if obj.status == nil or next(obj.status) == nil or obj.status.conditions == nil then
  if obj.kind == "ProviderConfig" then
    return {status = "Healthy", message = "in use"}
  end
  return {status = "Progressing", message = "the provider has not looked at it"}
end
for i, condition in ipairs(obj.status.conditions) do
  if condition.type == "Synced" and condition.status == "False" then
    return {status = "Degraded", message = condition.message}
  end
  if condition.type == "Ready" and condition.status == "True" then
    return {status = "Healthy", message = "ready"}
  end
end
return {status = "Progressing", message = "not ready"}
