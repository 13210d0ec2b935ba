-- ReviseReplica flink
function ReviseReplica(obj, desiredReplica)
  local managers = obj.spec.jobManager.replicas
  if managers == nil then
    managers = 1
  end
  obj.spec.taskManager.replicas = desiredReplica - managers
  return obj
end
