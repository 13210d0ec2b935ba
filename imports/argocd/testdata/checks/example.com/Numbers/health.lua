-- Numbers in messages look as Argo CD's do.
local status = obj.status
local share = status.ready / obj.spec.replicas * 100
local hs = {}
hs.message = math.floor(share) .. "% of " .. obj.spec.replicas .. ", " .. status.ratio .. " " .. (tonumber(status.text) + 1) .. " " .. tostring(status.big)
if share >= 100 then
  hs.status = "Healthy"
elseif obj.metadata.generation ~= nil and status.observedGeneration ~= nil and status.observedGeneration < obj.metadata.generation then
  hs.status = "Progressing"
else
  hs.status = "Degraded"
end
return hs
