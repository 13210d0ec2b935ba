-- Globals, and global functions that read the global obj.
hs = {}

function readyCount()
  count = 0
  for _, node in pairs(obj.status.nodes or {}) do
    if node.ready then count = count + 1 end
  end
  return count
end

function describe(n)
  hs.message = n .. " of " .. obj.spec.nodes .. " nodes are ready"
end

if obj.status == nil or obj.status.nodes == nil then
  hs.status = "Unknown"
  hs.message = "no nodes are known"
  return hs
end
n = readyCount()
describe(n)
hs.status = n == obj.spec.nodes and "Healthy" or "Progressing"
return hs
