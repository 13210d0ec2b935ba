-- InterpretDependency rollout
local kube = require("kube")
function GetDependencies(desiredObj)
  refs = kube.getPodDependencies(desiredObj.spec.template, desiredObj.metadata.namespace)
  return refs
end
