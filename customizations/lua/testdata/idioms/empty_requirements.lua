-- InterpretReplica gateway
function GetReplicas(desiredObj)
  local requires = { resourceRequest = { cpu = "1", memory = 1024 * 1024, ["example.org/gpu"] = 0.5 }, nodeClaim = { nodeSelector = { disk = "ssd" }, tolerations = { { key = "a", operator = "Exists", tolerationSeconds = 30 } } } }
  requires.priorityClassName = desiredObj.spec.absent
  if #desiredObj.spec.none == 0 then requires.namespace = desiredObj.metadata.namespace end
  return tonumber(desiredObj.spec.flags.level), requires
end
