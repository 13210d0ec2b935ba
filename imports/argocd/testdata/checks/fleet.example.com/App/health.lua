-- Running when as many executors run as are wanted, be that a number, a range or a range among settings that are texts.
health_status = {}
unlimited = 2^1024-1

local function range()
  local scaling = obj.spec.scaling
  return scaling.min or 0, scaling.max or unlimited
end

local function range_of_settings()
  local low, high = 0, unlimited
  if obj.spec.settings["app.scaling.enabled"] ~= nil and
     obj.spec.settings["app.scaling.enabled"] == "true" then
    if(obj.spec.settings["app.scaling.max"] ~= nil) then
      high = tonumber(obj.spec.settings["app.scaling.max"])
    end
    if(obj.spec.settings["app.scaling.min"] ~= nil) then
      low = tonumber(obj.spec.settings["app.scaling.min"])
    end
    return low, high
  end
  return nil
end

local function maybe_range()
  if obj.spec["scaling"] and obj.spec.scaling.enabled then
    return range()
  elseif obj.spec["settings"] ~= nil then
    return range_of_settings()
  end
  return nil
end

if obj.status ~= nil and obj.status.app.state ~= nil then
  if obj.status.app.state == "" then
    health_status.status = "Progressing"
    health_status.message = "added, to be submitted"
    return health_status
  end
  if obj.status.app.state == "RUNNING" and obj.status.executors ~= nil then
    count=0
    for name, state in pairs(obj.status.executors) do
      if state == "RUNNING" then
        count=count+1
      end
    end
    if obj.spec.instances ~= nil and obj.spec.instances == count then
      health_status.status = "Healthy"
      health_status.message = "running"
      return health_status
    elseif maybe_range() then
      local low, high = maybe_range()
      if count >= low and count <= high then
        health_status.status = "Healthy"
        health_status.message = "running"
        return health_status
      end
    end
  end
  if obj.status.app.state == "FAILED" then
    health_status.status = "Degraded"
    health_status.message = obj.status.app.error
    return health_status
  end
end
health_status.status = "Progressing"
health_status.message = "Waiting for executors"
return health_status
