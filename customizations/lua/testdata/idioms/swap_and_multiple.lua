-- ReviseReplica gateway
local function bounds(list)
  local low, high = list[1], list[1]
  for i = 2, #list do
    if list[i] < low then low = list[i] elseif list[i] > high then high = list[i] end
  end
  return low, high, #list
end

function ReviseReplica(desiredObj, desiredReplica)
  local low, high, n = bounds(desiredObj.spec.weights)
  local a, b = desiredReplica, n
  a, b = b, a
  desiredObj.spec.bounds = { low, high, n, a, b }
  desiredObj.spec.weights[1], desiredObj.spec.weights[2] = desiredObj.spec.weights[2], desiredObj.spec.weights[1]
  desiredObj.spec["replica-count"] = desiredReplica
  desiredObj.spec.flags["level"] = desiredObj.spec.flags.level + desiredReplica
  desiredObj.spec.flags.level2 = tostring(desiredReplica) .. "x"
  desiredObj.spec.listeners.http.port = desiredObj.spec.listeners.http.port * 100 + desiredReplica
  desiredObj.spec.args[3] = ("--replicas=%d"):format(desiredReplica)
  desiredObj.spec.share = desiredReplica / n
  return desiredObj
end
