-- ReviseReplica training
function ReviseReplica(obj, desiredReplica)
  local fixed = 0
  for role, spec in pairs(obj.spec.replicaSpecs) do
    if role ~= "Worker" then
      fixed = fixed + (spec.replicas or 1)
    end
  end
  obj.spec.replicaSpecs.Worker.replicas = math.max(desiredReplica - fixed, 0)
  return obj
end
