-- InterpretStatus training
function ReflectStatus(observedObj)
  if observedObj.status == nil then
    return {}
  end
  return observedObj.status
end
