-- InterpretReplica gateway
function GetReplicas(desiredObj)
  local n = 0
  for _, route in ipairs(desiredObj.spec.routes) do n = n + #route.paths end
  return n / 1.0
end
