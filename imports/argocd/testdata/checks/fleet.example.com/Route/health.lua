-- goto, and lists inside lists.
local hs = {}
if obj.status ~= nil and obj.status.parents ~= nil then
  for _, parent in pairs(obj.status.parents) do
    for _, c in ipairs(parent.conditions) do
      if c.observedGeneration ~= nil and tonumber(c.observedGeneration) ~= tonumber(obj.metadata.generation) then
        goto continue
      end
    end
    for _, c in ipairs(parent.conditions) do
      if c.type == "Resolved" and c.status == "False" then
        hs.status = "Degraded"
        hs.message = "Parent " .. (parent.name or "") .. ": " .. c.message
        return hs
      end
    end
    ::continue::
  end
  if #obj.status.parents > 0 then
    hs.status = "Healthy"
    hs.message = "every parent took it"
    return hs
  end
end
hs.status = "Progressing"
hs.message = "Waiting for parents"
return hs
