-- InterpretDependency training
local kube = require("kube")

function GetDependencies(desiredObj)
  local dependencies = {}
  local seen = {}
  for _, spec in pairs(desiredObj.spec.replicaSpecs) do
    local refs = kube.getPodDependencies(spec.template, desiredObj.metadata.namespace)
    if refs ~= nil then
      for _, ref in ipairs(refs) do
        local key = ref.apiVersion .. "|" .. ref.kind .. "|" .. (ref.namespace or "") .. "|" .. ref.name
        if not seen[key] then
          seen[key] = true
          table.insert(dependencies, ref)
        end
      end
    end
  end
  return dependencies
end
