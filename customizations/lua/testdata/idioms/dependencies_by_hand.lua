-- InterpretDependency rollout
local kube = require("kube")
local seen = {}
local refs = {}

local function add(kind, name, namespace)
  if name == nil or name == "" then return end
  local key = kind .. "/" .. name
  if seen[key] then return end
  seen[key] = true
  refs[#refs + 1] = { apiVersion = "v1", kind = kind, name = name, namespace = namespace }
end

function GetDependencies(desiredObj)
  local ns, pod = desiredObj.metadata.namespace, desiredObj.spec.template.spec
  for _, c in ipairs(pod.containers) do
    for _, e in ipairs(c.env or {}) do
      local from = e.valueFrom
      if from and from.secretKeyRef then add("Secret", from.secretKeyRef.name, ns) end
    end
    for _, e in ipairs(c.envFrom or {}) do
      if e.configMapRef ~= nil then add("ConfigMap", e.configMapRef.name, ns) end
    end
  end
  for _, v in pairs(pod.volumes or {}) do
    if v.secret then add("Secret", v.secret.secretName, ns)
    elseif v.configMap then add("ConfigMap", v.configMap.name, ns)
    elseif v.persistentVolumeClaim then add("PersistentVolumeClaim", v.persistentVolumeClaim.claimName, ns) end
  end
  for _, s in ipairs(pod.imagePullSecrets or {}) do add("Secret", s.name, ns) end
  add("ServiceAccount", pod.serviceAccountName, ns)
  table.insert(refs, { apiVersion = "networking.k8s.io/v1", kind = "Ingress", namespace = ns, labelSelector = { matchLabels = desiredObj.spec.selector.matchLabels } })
  for _, ref in ipairs(kube.getPodDependencies(desiredObj.spec.template, ns)) do add(ref.kind, ref.name, ref.namespace) end
  return refs
end
