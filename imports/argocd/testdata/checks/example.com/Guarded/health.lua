-- Errors that the script catches are part of what it does.
local ok, problem = pcall(function() return obj.status.deep.deeper end)
if not ok then
  return {status = "Progressing", message = "not there yet"}
end
local good, text = pcall(error, "as told", 0)
local fine, length = pcall(function(list) assert(type(list) == "table", "want a list"); return #list end, problem)
if not fine then
  return {status = "Degraded", message = string.gsub(length, "^.-:%d+: ", "") .. ", " .. tostring(good) .. " " .. text}
end
return {status = "Healthy", message = length .. " deep"}
