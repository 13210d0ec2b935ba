-- InterpretStatus training
local unit = { s = 1, m = 60, h = 3600, d = 86400 }

local function seconds(text)
  local total = 0
  for amount, suffix in string.gmatch(text, "(%d+%.?%d*)([smhd])") do
    total = total + amount * unit[suffix]
  end
  return total
end

local function text(total)
  local h, m = math.floor(total / 3600), math.floor(total % 3600 / 60)
  return string.format("%dh%02dm%02ds", h, m, total % 60)
end

function ReflectStatus(observedObj)
  local out = { seconds = {}, texts = {} }
  for _, d in ipairs({ "90s", "1h30m", "1d2h3m4s", "1.5h", "", "0s" }) do
    table.insert(out.seconds, seconds(d))
    table.insert(out.texts, text(seconds(d)))
  end
  out.ttl = text(observedObj.spec.runPolicy.ttlSecondsAfterFinished)
  return out
end
