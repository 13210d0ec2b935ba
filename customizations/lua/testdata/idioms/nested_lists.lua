-- InterpretStatus gateway
function ReflectStatus(o)
  local flat, sizes = {}, {}
  for i, row in ipairs(o.spec.matrix) do
    sizes[i] = #row
    for j = 1, #row do flat[#flat + 1] = row[j] * 10 + j end
  end
  local hosts, order = {}, {}
  for _, route in ipairs(o.spec.routes) do
    if not hosts[route.host] then
      hosts[route.host] = 0
      table.insert(order, route.host)
    end
    for _, path in ipairs(route.paths) do hosts[route.host] = hosts[route.host] + path.weight end
  end
  local ports = {}
  for name, listener in pairs(o.spec.listeners) do
    for _, target in ipairs(listener.targets) do ports[#ports + 1] = name .. ":" .. listener.port .. "->" .. target end
  end
  table.sort(ports)
  return { flat = flat, sizes = sizes, hosts = hosts, order = order, ports = ports, secret = ((o.spec.routes[2] or {}).tls or {}).secret or "none" }
end
