-- InterpretStatus rollout
function ReflectStatus(o)
  local pod = o.spec.template.spec
  local ports = pod.containers[1].ports
  local a, b = unpack(ports)
  table.insert(pod.tolerations, 1, { key = "first" })
  local last = table.remove(pod.volumes)
  local first = table.remove(pod.volumes, 1)
  local none = table.remove(pod.imagePullSecrets[1]) == nil
  local keys = 0
  for k, v in next, o.metadata.labels, nil do keys = keys + 1 end
  local index, c = next(pod.containers)
  local sum = 0
  for i, p in ipairs(ports) do sum = sum + p.containerPort * i end
  table.foreach = nil
  return {
    a = a.name, b = b.name, tolerations = pod.tolerations, last = last, first = first.name, none = none, left = #pod.volumes, keys = keys, index = index, c = c.name, sum = sum,
    n = table.getn(pod.containers), max = table.maxn(ports), names = table.concat({ a.name, b.name }, "+"), afterLast = next(ports, 2) == nil, missing = ports[3] == nil and ports[0] == nil,
    string = pod.containers["1"] == nil, volumes = pod.volumes,
  }
end
