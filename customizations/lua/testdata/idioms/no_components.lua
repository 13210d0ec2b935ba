-- InterpretComponent gateway
function GetComponents(desiredObj)
  local components = {}
  for name, listener in pairs(desiredObj.spec.listeners) do
    if listener.replicas ~= nil then table.insert(components, { name = name, replicas = listener.replicas }) end
  end
  return components
end
