-- InterpretHealth flink
function InterpretHealth(observedObj)
  local status = observedObj.status
  if status ~= nil and status.jobStatus ~= nil then
    local state = status.jobStatus.state
    if state == "CREATED" or state == "RECONCILING" or state == "INITIALIZING" then
      if status.error ~= nil and status.error ~= "" then
        return string.find(status.error, "ErrImagePull") ~= nil or string.find(status.error, "CrashLoopBackOff") ~= nil
      end
      return false
    end
    local fine = { "RUNNING", "FINISHED", "FAILED", "CANCELED", "SUSPENDED", "FAILING", "RESTARTING" }
    for _, name in ipairs(fine) do
      if state == name then
        return true
      end
    end
    return false
  end
  return status ~= nil and status.jobManagerDeploymentStatus == "READY" and status.lifecycleState == "STABLE"
end
