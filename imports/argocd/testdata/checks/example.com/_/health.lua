-- Every kind of the group that has no check of its own.
if obj.status == nil then
  return {status = "Progressing"}
end
return {status = "Healthy", message = obj.kind}
