-- AggregateStatus flink flink-members
function AggregateStatus(desiredObj, statusItems)
  if statusItems == nil then
    return desiredObj
  end
  if desiredObj.status == nil then
    desiredObj.status = {}
  end
  local clusterInfo, jobStatus, reconciliationStatus, taskManager
  local err, deployment, lifecycle = "", "", ""
  local observedGeneration = 0
  for i = 1, #statusItems do
    local s = statusItems[i].status
    if s ~= nil then
      clusterInfo = s.clusterInfo
      jobStatus = s.jobStatus
      reconciliationStatus = s.reconciliationStatus
      taskManager = s.taskManager
      err = s.error
      deployment = s.jobManagerDeploymentStatus
      lifecycle = s.lifecycleState
      observedGeneration = s.observedGeneration
    end
  end
  desiredObj.status.clusterInfo = clusterInfo
  desiredObj.status.error = err
  desiredObj.status.jobManagerDeploymentStatus = deployment
  desiredObj.status.jobStatus = jobStatus
  desiredObj.status.lifecycleState = lifecycle
  desiredObj.status.observedGeneration = observedGeneration
  desiredObj.status.reconciliationStatus = reconciliationStatus
  desiredObj.status.taskManager = taskManager
  return desiredObj
end
