-- InterpretStatus rollout
function ReflectStatus(o)
  local generation = o.metadata.annotations["resourcetemplate.karmada.io/generation"]
  return {
    sum = "5" + 1, product = generation * 2, negative = -"3", power = "2" ^ "3", equal = (generation == o.metadata.generation),
    equalNumber = tonumber(generation) == o.metadata.generation, text = o.spec.replicas .. "/" .. o.spec.replicas, half = 1 / 2 .. "",
    whole = tostring(6 / 2), big = 1234567890123 .. "", million = 1e6 .. "", large = tostring(1e15), larger = tostring(1e21), float = tostring(0.1),
    third = tostring(1 / 3), minus = tostring(-0.5), hex = 0x10 + 0, exponent = 1.5e3, truth = tostring(true) .. tostring(nil),
    port = o.spec.template.spec.containers[1].ports[1].containerPort .. "", fraction = 100 / 3, tiny = 1e-7, less = "a" < "b", zero = 0 and "yes" or "no",
    empty = "" and "yes" or "no", default = o.spec.absent or 7, no = o.spec.paused or "off", never = o.spec.paused and 1 or 2, integer = 7.0, thousand = 1e3,
  }
end
