local hs = {}
hs.status = "Progressing"
hs.message = ""
if obj.spec.suspend then
  hs.status = "Suspended"
  hs.message = "the job is suspended"
elseif obj.status and obj.status.succeeded == 1 then
  hs.status = "Healthy"
elseif obj.status and (obj.status.failed or 0) > (obj.spec.backoffLimit or 6) then
  hs.status = "Degraded"
  hs.message = "failed " .. obj.status.failed .. " times"
end
return hs
