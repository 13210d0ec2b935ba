-- InterpretHealth rollout
function InterpretHealth(o)
  local key = "resourcetemplate.karmada.io/generation"
  local annotations = o.metadata.annotations
  local generation = annotations and annotations[key]
  if generation == nil then return false end
  if tonumber(generation) > o.metadata.generation then return false end
  annotations["a.b/c"] = "x"
  return annotations["a.b/c"] == "x" and annotations["A.b/c"] == nil and o["metadata"]["name"] == "storefront"
    and o.status.observedGeneration >= tonumber(generation) and (o.spec.replicas == o.status.replicas and o.status.replicas == o.status.readyReplicas)
end
