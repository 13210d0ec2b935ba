-- AggregateStatus rollout rollout-members
function AggregateStatus(desiredObj, statusItems)
  if statusItems == nil then
    return desiredObj
  end
  if desiredObj.status == nil then
    desiredObj.status = {}
  end
  if desiredObj.metadata.generation == nil then
    desiredObj.metadata.generation = 0
  end
  if desiredObj.status.observedGeneration == nil then
    desiredObj.status.observedGeneration = 0
  end
  generation = desiredObj.metadata.generation
  observedGeneration = desiredObj.status.observedGeneration
  replicas = 0
  updatedReplicas = 0
  readyReplicas = 0
  availableReplicas = 0
  updatedReadyReplicas = 0
  expectedUpdatedReplicas = 0
  updateRevision = ""
  currentRevision = ""
  labelSelector = ""
  local observed = 0
  for i = 1, #statusItems do
    if statusItems[i].status ~= nil and statusItems[i].status.replicas ~= nil then
      replicas = replicas + statusItems[i].status.replicas
    end
    if statusItems[i].status ~= nil and statusItems[i].status.updatedReplicas ~= nil then
      updatedReplicas = updatedReplicas + statusItems[i].status.updatedReplicas
    end
    if statusItems[i].status ~= nil and statusItems[i].status.readyReplicas ~= nil then
      readyReplicas = readyReplicas + statusItems[i].status.readyReplicas
    end
    if statusItems[i].status ~= nil and statusItems[i].status.availableReplicas ~= nil then
      availableReplicas = availableReplicas + statusItems[i].status.availableReplicas
    end
    if statusItems[i].status ~= nil and statusItems[i].status.updatedReadyReplicas ~= nil then
      updatedReadyReplicas = updatedReadyReplicas + statusItems[i].status.updatedReadyReplicas
    end
    if statusItems[i].status ~= nil and statusItems[i].status.expectedUpdatedReplicas ~= nil then
      expectedUpdatedReplicas = expectedUpdatedReplicas + statusItems[i].status.expectedUpdatedReplicas
    end
    if statusItems[i].status ~= nil and statusItems[i].status.updateRevision ~= nil and statusItems[i].status.updateRevision ~= "" then
      updateRevision = statusItems[i].status.updateRevision
    end
    if statusItems[i].status ~= nil and statusItems[i].status.currentRevision ~= nil and statusItems[i].status.currentRevision ~= "" then
      currentRevision = statusItems[i].status.currentRevision
    end
    if statusItems[i].status ~= nil and statusItems[i].status.labelSelector ~= nil and statusItems[i].status.labelSelector ~= "" then
      labelSelector = statusItems[i].status.labelSelector
    end
    local resourceTemplateGeneration = 0
    if statusItems[i].status ~= nil and statusItems[i].status.resourceTemplateGeneration ~= nil then
      resourceTemplateGeneration = statusItems[i].status.resourceTemplateGeneration
    end
    local memberGeneration = 0
    if statusItems[i].status ~= nil and statusItems[i].status.generation ~= nil then
      memberGeneration = statusItems[i].status.generation
    end
    local memberObserved = 0
    if statusItems[i].status ~= nil and statusItems[i].status.observedGeneration ~= nil then
      memberObserved = statusItems[i].status.observedGeneration
    end
    if resourceTemplateGeneration == generation and memberGeneration == memberObserved then
      observed = observed + 1
    end
  end
  if observed == #statusItems then
    desiredObj.status.observedGeneration = generation
  end
  desiredObj.status.replicas = replicas
  desiredObj.status.updatedReplicas = updatedReplicas
  desiredObj.status.readyReplicas = readyReplicas
  desiredObj.status.availableReplicas = availableReplicas
  desiredObj.status.updatedReadyReplicas = updatedReadyReplicas
  desiredObj.status.expectedUpdatedReplicas = expectedUpdatedReplicas
  desiredObj.status.updateRevision = updateRevision
  desiredObj.status.currentRevision = currentRevision
  desiredObj.status.labelSelector = labelSelector
  return desiredObj
end
