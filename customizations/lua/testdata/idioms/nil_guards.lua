-- InterpretStatus flink
local function get(value, path, default)
  for part in path:gmatch("[^.]+") do
    if type(value) ~= "table" then return default end
    value = value[tonumber(part) or part]
  end
  if value == nil then return default end
  return value
end

function ReflectStatus(observedObj)
  if observedObj == nil or observedObj.status == nil then return observedObj.status end
  return {
    state = get(observedObj, "status.jobStatus.state", "UNKNOWN"), missing = get(observedObj, "status.a.b.c", "none"), text = get(observedObj, "kind.x.y", false),
    whole = get(observedObj, "metadata.name"), nothing = get(observedObj, "nothing"), list = get({ { a = { 5, 6 } } }, "1.a.2"), error = observedObj.status.error or "none",
    chain = observedObj.status and observedObj.status.jobStatus and observedObj.status.jobStatus.jobId ~= nil,
  }
end
