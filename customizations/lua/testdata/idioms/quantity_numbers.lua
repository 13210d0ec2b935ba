-- InterpretStatus rollout
local kube = require('kube')

function ReflectStatus(observedObj)
  local out = { total = kube.resourceAdd(), list = {} }
  for _, c in ipairs(observedObj.spec.template.spec.containers) do
    local limits = (c.resources or {}).limits or {}
    out.total = kube.resourceAdd(out.total, limits.cpu)
    out.list[#out.list + 1] = kube.getResourceQuantity(limits.memory)
    out.list[#out.list + 1] = kube.getResourceQuantity(limits.cpu) * 2
  end
  out.bigger = kube.getResourceQuantity("1Gi") > kube.getResourceQuantity("1000Mi")
  out.half = kube.getResourceQuantity("500m")
  out.none = kube.getResourceQuantity(nil)
  return out
end
