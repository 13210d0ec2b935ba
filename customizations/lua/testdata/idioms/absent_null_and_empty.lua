-- InterpretStatus gateway
local function kind(v)
  if v == nil then return "nil" end
  if type(v) == "table" then return next(v) == nil and "empty" or (#v > 0 and "list" or "map") end
  return type(v)
end

function ReflectStatus(o)
  local s = o.spec
  local out = {}
  for _, name in ipairs({ "args", "matrix", "flags", "empty", "none", "nothing", "absent", "text" }) do out[name] = kind(s[name]) end
  for name, value in pairs(s.flags) do out["flag_" .. name] = kind(value) .. " " .. tostring(value) end
  local seen = 0
  for _ in pairs(s.empty) do seen = seen + 1 end
  for _ in ipairs(s.none) do seen = seen + 1 end
  for _ in ipairs(s.flags) do seen = seen + 1 end
  for _ in pairs(s.nothing or {}) do seen = seen + 1 end
  out.seen = seen
  out.lengths = { #s.empty, #s.none, #s.flags, #s.matrix[3] }
  out.status = o.status
  out.status.gone = o.status.absent
  out.debug = s.flags.debug == false and not s.flags.debug
  out.default = s.flags.debug or "off"
  return out
end
