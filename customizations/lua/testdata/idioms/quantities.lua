-- InterpretReplica rollout
local kube = require("kube")
local factor = { Ki = 1024, Mi = 1024 ^ 2, Gi = 1024 ^ 3, m = 0.001, k = 1e3, M = 1e6, G = 1e9, [""] = 1 }

local function amount(q)
  if q == nil then return 0 end
  local number, suffix = tostring(q):match("^([%d%.]+)(%a*)$")
  return tonumber(number) * factor[suffix]
end

function GetReplicas(desiredObj)
  local sum = { cpu = 0, memory = 0 }
  for _, c in pairs(desiredObj.spec.template.spec.containers) do
    for name in pairs(sum) do
      local requests = c.resources and (c.resources.requests or c.resources.limits) or {}
      sum[name] = sum[name] + amount(requests[name])
    end
  end
  local requires = {
    nodeClaim = { nodeSelector = desiredObj.spec.template.spec.nodeSelector, tolerations = desiredObj.spec.template.spec.tolerations },
    resourceRequest = {
      cpu = string.format("%dm", sum.cpu * 1000),
      memory = kube.resourceAdd(string.format("%d", sum.memory), "1Mi", nil),
    },
  }
  return math.max(desiredObj.spec.replicas, 1), requires
end
