-- Retain training
function Retain(desiredObj, observedObj)
  for role, spec in pairs(desiredObj.spec.replicaSpecs) do
    local observed = observedObj.spec.replicaSpecs[role]
    if observed ~= nil then
      spec.restartPolicy = observed.restartPolicy
      if observed.template.metadata ~= nil then
        spec.template.metadata = observed.template.metadata
      end
      for i = 1, #spec.template.spec.containers do
        spec.template.spec.containers[i].image = observed.template.spec.containers[i].image
      end
    end
  end
  return desiredObj
end
