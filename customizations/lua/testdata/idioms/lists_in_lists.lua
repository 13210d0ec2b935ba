-- InterpretStatus rollout
function ReflectStatus(o)
  local matrix = {}
  for i = 1, 3 do
    matrix[i] = {}
    for j = 1, 3 do matrix[i][j] = i * j end
  end
  local backwards = {}
  for i = 3, 1, -1 do backwards[i] = "v" .. i end
  local ports = {}
  for i, c in ipairs(o.spec.template.spec.containers) do
    for _, p in ipairs(c.ports or {}) do
      ports[#ports + 1] = { container = i, port = p.containerPort, last = c.ports[#c.ports] == p }
    end
  end
  return { matrix = matrix, backwards = backwards, ports = ports, tolerations = o.spec.template.spec.tolerations, strings = { ["1"] = "a", ["2"] = "b" }, one = { { { true } } } }
end
