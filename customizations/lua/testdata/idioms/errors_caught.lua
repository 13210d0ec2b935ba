-- InterpretStatus rollout
local function try(f, ...)
  local ok, err = pcall(f, ...)
  if ok then return err end
  if type(err) == "table" then return err.code end
  return (tostring(err):match(": (.*)$")) or err
end

function ReflectStatus(o)
  return {
    table = try(function() error({ code = 42 }) end),
    text = try(function() error("plain", 0) end),
    placed = try(function() error("with a place") end),
    asserted = try(function() assert(o.spec.absent, "spec.absent: want one") end),
    value = try(function(a, b) return a + b end, 1, 2),
    called = try(function() o.spec() end) ~= nil,
    indexed = try(function() return o.spec.a.b end) ~= nil,
    added = try(function() return {} + 1 end) ~= nil,
    compared = try(function() return 1 < "2" end) ~= nil,
    handled = select(2, xpcall(function() error("x", 0) end, function(e) return "handled " .. e end)),
    nested = try(function() return try(function() error("inner", 0) end) .. "!" end),
    number = tonumber("abc") == nil and tonumber("") == nil and tonumber("12abc") == nil,
  }
end
