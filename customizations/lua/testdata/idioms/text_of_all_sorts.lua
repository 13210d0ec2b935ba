-- InterpretStatus rollout
local function trim(s) return s:match("^%s*(.-)%s*$") end
local function split(s, sep)
  local out, from = {}, 1
  while true do
    local i, j = string.find(s, sep, from, true)
    if not i then break end
    out[#out + 1] = string.sub(s, from, i - 1)
    from = j + 1
  end
  out[#out + 1] = s:sub(from)
  return out
end
local function hash(s)
  local h = 5381
  for i = 1, #s do h = (h * 33 + s:byte(i)) % 4294967296 end
  return h
end

function ReflectStatus(o)
  local image = o.spec.template.spec.containers[1].image
  local pairs_ = {}
  for k, v in string.gmatch("a=1,b=22,c=", "(%w+)=(%w*)") do pairs_[k] = v end
  local chars = {}
  for ch in ("abc"):gmatch(".") do chars[#chars + 1] = ch end
  return {
    trimmed = trim("  x y \t\n"), split = split("a,b,,c", ","), path = split(image, "/"), hash = hash(image), pairs = pairs_, chars = chars,
    find = { ("hello world"):find("o w") }, plain = ("a.b"):find(".", 1, true), none = ("abc"):find("z") == nil, reversed = ("abc"):reverse(),
    upper = o.metadata.name:upper(), lower = ("ÄBC"):lower(), bytes = #"é", sub = ("hello"):sub(-3, -2), balanced = ("f(a(b)c)d"):match("%b()"),
    frontier = ("THE (quick) fox"):match("%((%a+)%)"), anchored = ("v1.2"):match("^v(%d+)%.(%d+)$"), optional = ("colour"):match("colou?r"),
    lazy = ("<a><b>"):match("<(.-)>"), greedy = ("<a><b>"):match("<(.*)>"), class = ("x-1_y"):match("[%w_%-]+"), not_class = ("key: value"):match("[^:]+"),
    position = ("abc"):match("()c"), suffix = o.metadata.name:sub(-5) == "front", prefix = o.metadata.name:find("^store") == 1, empty = (""):match(".*") == "",
    concat = table.concat({ 1, 2.5, "x" }, "|"), byte = { ("AZ"):byte(1, -1) }, capture = ("2026-05-19"):match("(%d+)%-(%d+)") , digits = tonumber(("abc123def"):match("%d+")),
  }
end
