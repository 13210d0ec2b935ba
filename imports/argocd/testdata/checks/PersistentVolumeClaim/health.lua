-- A kind of the core group, at the root.
local phase = obj.status and obj.status.phase
if phase == "Bound" then return {status = "Healthy"} end
if phase == "Lost" then return {status = "Degraded", message = "the volume is lost"} end
return {status = "Progressing", message = "the claim is " .. (phase or "new")}
