-- InterpretStatus rollout
function ReflectStatus(observedObj)
  local status = {}
  if observedObj == nil or observedObj.status == nil then
    return status
  end
  status.replicas = observedObj.status.replicas
  status.readyReplicas = observedObj.status.readyReplicas
  status.updatedReplicas = observedObj.status.updatedReplicas
  status.availableReplicas = observedObj.status.availableReplicas
  status.updatedReadyReplicas = observedObj.status.updatedReadyReplicas
  status.expectedUpdatedReplicas = observedObj.status.expectedUpdatedReplicas
  status.currentRevision = observedObj.status.currentRevision
  status.updateRevision = observedObj.status.updateRevision
  status.observedGeneration = observedObj.status.observedGeneration
  status.labelSelector = observedObj.status.labelSelector

  if observedObj.metadata == nil then
    return status
  end
  status.generation = observedObj.metadata.generation
  local annotations = observedObj.metadata.annotations
  if annotations ~= nil then
    local generation = tonumber(annotations["resourcetemplate.karmada.io/generation"])
    if generation ~= nil then
      status.resourceTemplateGeneration = generation
    end
  end
  return status
end
