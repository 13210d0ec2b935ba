-- Retain rollout
function Retain(desiredObj, observedObj)
  if desiredObj.metadata.labels ~= nil and desiredObj.metadata.labels["resourcetemplate.karmada.io/retain-replicas"] == "true" then
    desiredObj.spec.replicas = observedObj.spec.replicas
  end
  desiredObj.spec.paused = observedObj.spec.paused
  if observedObj.spec.template.metadata ~= nil then
    for key, value in pairs(observedObj.spec.template.metadata.labels) do
      if desiredObj.spec.template.metadata.labels[key] == nil then
        desiredObj.spec.template.metadata.labels[key] = value
      end
    end
  end
  return desiredObj
end
