-- InterpretStatus flink
function ReflectStatus(observedObj)
  local status = {}
  if observedObj == nil or observedObj.status == nil then
    return status
  end
  status.clusterInfo = observedObj.status.clusterInfo
  status.error = observedObj.status.error
  status.jobManagerDeploymentStatus = observedObj.status.jobManagerDeploymentStatus
  status.jobStatus = observedObj.status.jobStatus
  status.observedGeneration = observedObj.status.observedGeneration
  status.lifecycleState = observedObj.status.lifecycleState
  status.reconciliationStatus = observedObj.status.reconciliationStatus
  status.taskManager = observedObj.status.taskManager
  return status
end
