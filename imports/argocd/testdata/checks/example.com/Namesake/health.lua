-- Names that the customization has as well.
function check(object) return states[object.status.phase] end
states = {Up = "Healthy", Down = "Degraded"}
function InterpretHealth() return check(obj) end
local observedObj = obj
health = {status = InterpretHealth(), message = observedObj.status.phase}
return health
