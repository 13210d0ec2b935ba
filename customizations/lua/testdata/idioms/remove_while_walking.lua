-- ReviseReplica rollout
function ReviseReplica(desiredObj, desiredReplica)
  desiredObj.spec.replicas = desiredReplica
  local containers = desiredObj.spec.template.spec.containers
  for i = #containers, 1, -1 do
    if containers[i].name == "proxy" then table.remove(containers, i) end
  end
  local volumes = desiredObj.spec.template.spec.volumes
  local removed = table.remove(volumes, 1)
  table.insert(volumes, removed)
  table.insert(volumes, 1, { name = "scratch", emptyDir = { medium = "Memory" } })
  local ports = containers[1].ports
  ports[#ports + 1] = { name = "debug", containerPort = ports[1].containerPort + 1 }
  ports[1], ports[2] = ports[2], ports[1]
  for k in pairs(desiredObj.metadata.annotations) do desiredObj.metadata.annotations[k] = nil end
  desiredObj.metadata.annotations["n"] = tostring(#volumes)
  return desiredObj
end
