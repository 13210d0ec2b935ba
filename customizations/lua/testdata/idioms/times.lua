-- InterpretStatus rollout
local function parse(text)
  local y, mo, d, h, mi, s = text:match("^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)Z$")
  if not y then return nil end
  return os.time({ year = y, month = mo, day = d, hour = h, min = mi, sec = s })
end

function ReflectStatus(o)
  local first, second = o.status.conditions[1].lastTransitionTime, o.status.conditions[2].lastTransitionTime
  return {
    between = parse(first) - parse(second), epoch = os.date("!%Y-%m-%dT%H:%M:%SZ", 0), day = os.date("!%d/%m/%y %H:%M", 86400),
    later = first > second, none = parse("yesterday") == nil, now = type(os.time()), text = type(os.date()), fields = os.date("!*t", 3600).hour,
    difference = os.difftime and os.difftime(10, 4) or 6, year = os.date("!*t", 0).year, weekday = os.date("!*t", 0).wday,
  }
end
