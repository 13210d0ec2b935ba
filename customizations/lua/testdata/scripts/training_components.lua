-- InterpretComponent training
local kube = require("kube")

function GetComponents(obj)
  local components = {}
  local specs = obj.spec.replicaSpecs
  if specs == nil then
    return components
  end
  for _, role in ipairs({ "Master", "Worker", "Evaluator", "Chief" }) do
    local spec = specs[role]
    if spec ~= nil then
      local replicas = spec.replicas
      if replicas == nil then
        replicas = 1
      end
      local component = { name = string.lower(role), replicas = replicas }
      if spec.template ~= nil then
        component.replicaRequirements = kube.accuratePodRequirements(spec.template)
      end
      table.insert(components, component)
    end
  end
  return components
end
