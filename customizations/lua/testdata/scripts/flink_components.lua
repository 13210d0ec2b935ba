-- InterpretComponent flink
local kube = require("kube")

local function clone(value)
  if type(value) ~= "table" then
    return value
  end
  local out = {}
  for k, v in pairs(value) do
    out[k] = clone(v)
  end
  return out
end

local function present(s)
  return s ~= nil and s ~= ""
end

function GetComponents(obj)
  local jobManagers = 1
  if obj.spec.jobManager ~= nil and obj.spec.jobManager.replicas ~= nil then
    jobManagers = obj.spec.jobManager.replicas
  end
  local taskManagers = obj.spec.taskManager.replicas
  if taskManagers == nil then
    taskManagers = math.ceil(obj.spec.job.parallelism / tonumber(obj.spec.flinkConfiguration["taskmanager.numberOfTaskSlots"]))
  end

  local claim = {}
  local podSpec = obj.spec.podTemplate and obj.spec.podTemplate.spec
  if podSpec ~= nil then
    claim.nodeSelector = clone(podSpec.nodeSelector)
    claim.tolerations = clone(podSpec.tolerations)
  end

  local function requirements(resource)
    local out = { resourceRequest = {} }
    out.resourceRequest.cpu = resource.cpu
    out.resourceRequest.memory = kube.getResourceQuantity(resource.memory)
    if next(claim) ~= nil then
      out.nodeClaim = claim
    end
    if podSpec ~= nil and present(podSpec.priorityClassName) then
      out.priorityClassName = podSpec.priorityClassName
    end
    return out
  end

  return {
    { name = "jobmanager", replicas = jobManagers, replicaRequirements = requirements(obj.spec.jobManager.resource) },
    { name = "taskmanager", replicas = taskManagers, replicaRequirements = requirements(obj.spec.taskManager.resource) },
  }
end
