-- InterpretHealth rollout
local function split(s, separator)
  local parts = {}
  for part in string.gmatch(s, "([^" .. separator .. "]+)") do
    table.insert(parts, part)
  end
  return parts
end

function InterpretHealth(observedObj)
  local parts = split(observedObj.status.currentRevision, "-")
  local pairsOf = split(observedObj.status.labelSelector, ",")
  for _, text in ipairs(pairsOf) do
    local key, value = string.match(text, "^(.-)=(.*)$")
    if observedObj.metadata.labels[key] ~= value then
      return false
    end
  end
  return parts[#parts] == string.sub(observedObj.status.updateRevision, -6) and string.upper(parts[1]) == "STOREFRONT"
end
