-- What the string and table libraries can do.
local phase = string.lower(obj.status.phase)
local trimmed = string.gsub(obj.status.reason or "", "^%s*(.-)%s*$", "%1")
local stages = {}
for stage in string.gmatch(obj.status.stages or "", "[^,]+") do
  table.insert(stages, stage:upper())
end
table.sort(stages, function(a, b) return a < b end)

local hs = {message = string.format("%s: %s (%d)", trimmed, table.concat(stages, "+"), #stages)}
if string.find(phase, "^fail") or phase:find("error", 1, true) then
  hs.status = "Degraded"
elseif string.sub(phase, 1, 4) == "done" then
  hs.status = "Healthy"
elseif phase:match("paus") then
  hs.status = "Suspended"
else
  hs.status = "Progressing"
end
return hs
