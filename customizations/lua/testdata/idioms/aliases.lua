-- InterpretStatus rollout
function ReflectStatus(o)
  local labels = o.metadata.labels
  local seen = {}
  seen[labels] = "labels"
  seen[o.spec] = "spec"
  local out = { same = o.metadata.labels == labels, found = seen[o.metadata.labels] .. seen[o["spec"]] }
  labels.added = "yes"
  out.added = o.metadata.labels.added
  o.spec.selector.copy = labels
  labels.late = "too"
  out.late = o.spec.selector.copy.late
  out.selector = o.spec.selector
  local spec = o.spec
  o.spec = nil
  out.gone = o.spec == nil
  out.kept = spec.replicas
  o.spec = { replicas = spec.replicas + 1 }
  out.replaced = o.spec.replicas
  out.conditions = o.status.conditions
  out.conditions[1].extra = { true, false }
  out.again = { first = out.conditions[1].type, n = #o.status.conditions[1].extra }
  return out
end
