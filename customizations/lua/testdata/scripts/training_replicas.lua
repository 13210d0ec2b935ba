-- InterpretReplica training
local kube = require("kube")

local function each(obj, f)
  for role, spec in pairs(obj.spec.replicaSpecs) do
    f(role, spec, spec.replicas or 1)
  end
end

function GetReplicas(obj)
  local total = 0
  local cpu, memory = "0", "0"
  each(obj, function(_, spec, n)
    total = total + n
    for _, container in ipairs(spec.template.spec.containers) do
      local requests = container.resources.requests
      for _ = 1, n do
        cpu = kube.resourceAdd(cpu, requests.cpu)
        memory = kube.resourceAdd(memory, requests.memory)
      end
    end
  end)
  return total, { resourceRequest = { cpu = cpu, memory = memory }, namespace = obj.metadata.namespace }
end
