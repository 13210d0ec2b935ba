-- InterpretStatus rollout
local function version(image)
  local major, minor, patch = string.match(image, ":(%d+)%.(%d+)%.?(%d*)$")
  return { major = tonumber(major), minor = tonumber(minor), patch = tonumber(patch) or 0, tag = image:match("[^:]+$") }
end

local function newer(a, b)
  for _, part in ipairs({ "major", "minor", "patch" }) do
    if a[part] ~= b[part] then return a[part] > b[part] end
  end
  return false
end

function ReflectStatus(observedObj)
  local images, newest = {}, nil
  local all = observedObj.spec.template.spec.containers
  for i = 1, #all do
    local v = version(all[i].image)
    images[all[i].name] = v
    if not newest or newer(v, newest) then newest = v end
  end
  return { images = images, newest = newest.tag, host = all[1].image:match("^([^/]+)/"), count = #all }
end
