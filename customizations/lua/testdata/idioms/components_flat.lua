-- InterpretComponent flink
function isempty(s) return s == nil or s == '' end
function GetComponents(observedObj)
  local components = {}
  local roles = { { "jobManager", "jobmanager" }, { "taskManager", "taskmanager" } }
  for _, role in pairs(roles) do
    local spec = observedObj.spec[role[1]]
    if spec then
      local replicas = spec.replicas
      if isempty(replicas) then
        replicas = role[1] == "taskManager" and math.ceil((observedObj.spec.job.parallelism or 1) / tonumber(observedObj.spec.flinkConfiguration["taskmanager.numberOfTaskSlots"] or "1")) or 1
      end
      local requires = { resourceRequest = {} }
      for _, name in ipairs { "cpu", "memory" } do
        local value = spec.resource and spec.resource[name] or nil
        if not isempty(value) then requires.resourceRequest[name] = value end
      end
      requires.priorityClassName = (((observedObj.spec.podTemplate or {}).spec) or {}).priorityClassName
      components[#components + 1] = { name = role[2], replicas = replicas, replicaRequirements = requires }
    end
  end
  return components
end
