-- A kind of the core group, in its folder.
if obj.spec.type ~= "LoadBalancer" then return {status = "Healthy"} end
local ingress = ((obj.status or {}).loadBalancer or {}).ingress or {}
if #ingress == 0 then return {status = "Progressing", message = "no address"} end
return {status = "Healthy", message = ingress[1].ip or ingress[1].hostname}
