-- AggregateStatus rollout rollout-members
Counter = {}

function Counter.new(fields)
  local self = { totals = {}, fields = fields }
  self.add = Counter.add
  self.result = function(s) return s.totals end
  return self
end

function Counter:add(status)
  for _, name in ipairs(self.fields) do
    self.totals[name] = (self.totals[name] or 0) + (status[name] or 0)
  end
  return self
end

function AggregateStatus(desiredObj, statusItems)
  local counter = Counter.new({ "replicas", "readyReplicas", "nothing" })
  for _, item in ipairs(statusItems) do
    counter:add(item.status or {}):add({})
  end
  desiredObj.status = counter:result()
  desiredObj.status.fields = #counter.fields
  return desiredObj
end
