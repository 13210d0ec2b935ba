-- ReviseReplica training
function ReviseReplica(desiredObj, desiredReplica)
  local order, total = {}, 0
  for role, spec in pairs(desiredObj.spec.replicaSpecs) do
    order[#order + 1] = role
    total = total + (spec.replicas or 1)
  end
  table.sort(order)
  local left = desiredReplica
  for i, role in ipairs(order) do
    local spec = desiredObj.spec.replicaSpecs[role]
    local share = math.floor(desiredReplica * (spec.replicas or 1) / total)
    if i == #order then share = left end
    spec.replicas = share
    spec.half = share / 2
    spec.ratio = share / 3
    left = left - share
  end
  desiredObj.spec.mod = desiredReplica % 3
  desiredObj.spec.power = 2 ^ 10
  desiredObj.spec.minus = -desiredReplica
  desiredObj.spec.ceil = math.ceil(desiredReplica / 3)
  return desiredObj
end
