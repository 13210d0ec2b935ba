-- InterpretDependency rollout
function GetDependencies(desiredObj)
  kube = require "kube"
  local again = require('kube')
  local refs = again.getPodDependencies(desiredObj.spec.template, desiredObj.metadata.namespace)
  local requires = kube.accuratePodRequirements(desiredObj.spec.template)
  requires.resourceRequest.cpu = nil
  local out = {}
  for i = #refs, 1, -1 do
    refs[i].name = refs[i].name .. ""
    if refs[i].kind ~= "ServiceAccount" then out[#out + 1] = refs[i] end
  end
  local _, n = pcall(kube.getPodDependencies)
  local ok = pcall(kube.resourceAdd, "not a quantity")
  if not ok and type(n) == "string" then
    table.insert(out, { apiVersion = "v1", kind = "ConfigMap", namespace = "default", name = "sum-" .. kube.resourceAdd("100m", "0.4", "1") })
  end
  return out
end
