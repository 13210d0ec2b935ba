local function worst(node)
  local order = {Healthy = 1, Progressing = 2, Degraded = 3}
  local state = node.state
  for _, child in ipairs(node.children or {}) do
    local s = worst(child)
    if order[s] > order[state] then state = s end
  end
  return state
end
return {status = worst(obj.status.root), message = "worst of " .. obj.status.root.name}
