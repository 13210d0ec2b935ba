-- Every corner of the language, with line ends of another system.
--[[ A long
  comment: end ]]
local text = [==[
end ]] of
text]==]   
local function depth(t, ...)
  local most = select("#", ...)
  for _, v in pairs(t) do
	if type(v) == "table" then most = math.max(most, 1 + depth(v, ...)) end
  end
  return most;
end

local n, i = 0, 10
repeat
  n = n + 1
  while true do
    i = i - 1
    if i % 2 == 0 then break end
  end
until n == 3
for k = 3, 1, -1 do
  if k == 2 then goto continue end
  n = n + k
  ::continue::
end
do
  local a, b = unpack({1, 2})
  n = n + a * b ^ 2 - -1
end
local self = {n = n}
function self:get() return self.n end
return {status = not obj.status and "Missing" or "Healthy", message = text:len() .. " '" .. text .. "' " .. self:get() .. " " .. depth(obj, "x") .. " é \"quoted\" "} -- done