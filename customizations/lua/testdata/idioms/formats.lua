-- InterpretStatus rollout
function ReflectStatus(o)
  local s = o.status
  return {
    ready = string.format("%d/%d", s.readyReplicas, s.replicas), percent = string.format("%d%%", s.readyReplicas / s.replicas * 100),
    padded = string.format("%02d:%02d", 5, 45), fixed = string.format("%.2f", 2 / 3), wide = string.format("[%5s|%-5s]", "ab", "cd"),
    quoted = string.format("%q", 'a "b"'), hex = string.format("%x", 255), g = string.format("%g", 1e20), strings = string.format("%s %s %s", "a", 1, true),
    method = ("%s-%s"):format(o.metadata.namespace, o.metadata.name), nothing = string.format("%s", nil), float = string.format("%s", 1.5),
    whole = string.format("%s", 3.0), five = string.format("%5.1f", 3.14159), char = string.char(75, 56, 115), byte = ("A"):byte(), sci = string.format("%e", 12345.678),
  }
end
