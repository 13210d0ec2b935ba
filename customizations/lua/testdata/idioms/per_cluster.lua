-- AggregateStatus rollout rollout-members
function AggregateStatus(desiredObj, statusItems)
  local clusters, messages, names = {}, {}, {}
  for i = 1, #statusItems do
    local item = statusItems[i]
    clusters[item.clusterName] = { ready = item.status and item.status.readyReplicas or 0, healthy = item.health == "Healthy", applied = item.applied == true }
    names[#names + 1] = item.clusterName
    for _, c in ipairs((item.status or {}).conditions or {}) do
      if c.status ~= "True" then
        table.insert(messages, item.clusterName .. ":" .. c.type .. "=" .. c.status)
      end
    end
  end
  table.sort(names)
  desiredObj.status.clusters = clusters
  desiredObj.status.message = #messages > 0 and table.concat(messages, "; ") or nil
  desiredObj.status.names = names
  desiredObj.status.conditions[1].status = "Unknown"
  desiredObj.status.observedGeneration = desiredObj.metadata.generation
  return desiredObj
end
