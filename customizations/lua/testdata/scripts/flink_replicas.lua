-- InterpretReplica flink
local kube = require("kube")

local function isEmpty(s)
  return s == nil or s == ""
end

function GetReplicas(obj)
  local jobManagers = obj.spec.jobManager.replicas or 1
  local taskManagers = obj.spec.taskManager.replicas
  if isEmpty(taskManagers) then
    local parallelism = obj.spec.job.parallelism
    local slots = obj.spec.flinkConfiguration["taskmanager.numberOfTaskSlots"]
    if isEmpty(parallelism) or isEmpty(slots) then
      taskManagers = 1
    else
      taskManagers = math.ceil(parallelism / tonumber(slots))
    end
  end

  local requires = { resourceRequest = {}, nodeClaim = {} }
  requires.resourceRequest.cpu = math.max(obj.spec.taskManager.resource.cpu, obj.spec.jobManager.resource.cpu)
  local jmMemory = kube.getResourceQuantity(obj.spec.jobManager.resource.memory)
  local tmMemory = kube.getResourceQuantity(obj.spec.taskManager.resource.memory)
  if jmMemory > tmMemory then
    requires.resourceRequest.memory = obj.spec.jobManager.resource.memory
  else
    requires.resourceRequest.memory = obj.spec.taskManager.resource.memory
  end
  if obj.spec.podTemplate ~= nil and obj.spec.podTemplate.spec ~= nil then
    requires.nodeClaim.nodeSelector = obj.spec.podTemplate.spec.nodeSelector
    requires.nodeClaim.tolerations = obj.spec.podTemplate.spec.tolerations
    if not isEmpty(obj.spec.podTemplate.spec.priorityClassName) then
      requires.priorityClassName = obj.spec.podTemplate.spec.priorityClassName
    end
  end
  if not isEmpty(obj.metadata.namespace) then
    requires.namespace = obj.metadata.namespace
  end
  return jobManagers + taskManagers, requires
end
