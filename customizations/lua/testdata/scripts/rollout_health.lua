-- InterpretHealth rollout
function InterpretHealth(observedObj)
  if observedObj.status.observedGeneration ~= observedObj.metadata.generation then
    return false
  end
  if observedObj.spec.replicas ~= nil then
    if observedObj.status.updatedReplicas < observedObj.spec.replicas then
      return false
    end
  end
  if observedObj.status.availableReplicas < observedObj.status.updatedReplicas then
    return false
  end
  return true
end
