-- Times: the text of one is taken apart, and compared with now.
local function seconds(text)
  local year, month, day, hour, min, sec = string.match(text, "(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)Z")
  return os.time({year = year, month = month, day = day, hour = hour, min = min, sec = sec})
end

local expires = seconds(obj.spec.expires)
if os.time() > expires then
  return {status = "Degraded", message = "expired on " .. os.date("!%Y-%m-%d", expires)}
end
return {status = "Healthy", message = "valid until " .. os.date("!%Y-%m-%d", expires)}
