-- InterpretComponent training
local kube = require("kube")

function GetComponents(desiredObj)
  local names = {}
  for name in pairs(desiredObj.spec.replicaSpecs) do table.insert(names, name) end
  table.sort(names)
  local components = {}
  for _, name in ipairs(names) do
    local spec = desiredObj.spec.replicaSpecs[name]
    local requires = kube.accuratePodRequirements(spec.template)
    if requires ~= nil and requires.resourceRequest ~= nil and requires.resourceRequest.cpu then
      requires.resourceRequest["cpu"] = kube.resourceAdd(requires.resourceRequest.cpu, "100m")
    end
    components[#components + 1] = { name = string.lower(name), replicas = tonumber(spec.replicas) or 1, replicaRequirements = requires }
  end
  return components
end
