-- InterpretComponent rollout
local kube = require("kube")
function GetComponents(obj)
  local components = {}
  local requires = kube.accuratePodRequirements(obj.spec.template)
  if requires ~= nil then
    table.insert(components, { name = obj.metadata.name, replicas = obj.spec.replicas or 1, replicaRequirements = requires })
  end
  return components
end
