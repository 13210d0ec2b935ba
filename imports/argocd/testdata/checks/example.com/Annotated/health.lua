-- Guards around what may not be there, and changes of the object that nobody else sees.
local annotations = obj.metadata.annotations or {}
local paused = annotations["example.com/paused"]
if type(paused) == "string" and paused == "true" then
  return {status = "Suspended", message = "paused by an annotation"}
end
obj.status = obj.status or {}
obj.status.seen = (obj.status.seen or 0) + 1
local n = 0
for key, value in pairs(obj.metadata.labels or {}) do
  if key ~= "app" and value ~= "" then n = n + 1 end
end
return {status = "Healthy", message = "seen " .. obj.status.seen .. " times with " .. n .. " labels"}
