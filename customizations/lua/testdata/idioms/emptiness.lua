-- InterpretHealth training
function IsEmpty(t) return t == nil or next(t) == nil end

function InterpretHealth(o)
  local empty = {}
  local made = { gone = 1 }
  made.gone = nil
  local roles = 0
  for _ in pairs(o.spec.replicaSpecs) do roles = roles + 1 end
  return IsEmpty(empty) and IsEmpty(made) and IsEmpty(nil) and IsEmpty(o.spec.absent)
    and not IsEmpty(o.spec) and not IsEmpty(o.spec.replicaSpecs) and #o.spec.replicaSpecs == 0 and roles >= 3
    and #o.spec.replicaSpecs.Master.template.spec.containers == 1 and (o.spec.absent or {}).more == nil
    and not pcall(function() return o.spec.absent.more end) and type(o.spec.absent) == "nil" and type(o.spec) == "table"
end
