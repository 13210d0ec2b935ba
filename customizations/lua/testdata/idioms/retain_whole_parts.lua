-- Retain gateway
function Retain(desiredObj, observedObj)
  desiredObj.spec.routes = observedObj.spec.routes
  desiredObj.spec.routes[1].host = "kept." .. observedObj.spec.routes[1].host
  desiredObj.spec.flags, desiredObj.spec.listeners.http = observedObj.spec.flags, nil
  desiredObj.spec.flags.debug = not observedObj.spec.flags.debug
  desiredObj.metadata.finalizers = observedObj.metadata.finalizers
  table.insert(desiredObj.metadata.finalizers, "added")
  desiredObj.spec.weights = { observedObj.spec.weights[2], desiredObj.spec.weights[1] }
  desiredObj.spec.matrix[2][2] = 4
  desiredObj.metadata.ownerReferences[1].controller = nil
  desiredObj.metadata.resourceVersion = observedObj.metadata.resourceVersion
  return desiredObj
end
