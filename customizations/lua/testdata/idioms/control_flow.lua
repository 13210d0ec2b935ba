-- InterpretStatus rollout
local function even(n)
  if n == 0 then return true end
  return odd(n - 1)
end
function odd(n) if n == 0 then return false end return even(n - 1) end

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

function ReflectStatus(o)
  local out = { up = {}, down = {}, steps = {} }
  for i = 1, 3 do out.up[i] = i end
  for i = 3, 1, -1 do table.insert(out.down, i) end
  for i = 0, 1, 0.25 do table.insert(out.steps, i) end
  for _ = 1, 0 do out.never = true end
  local n = 0
  while true do
    n = n + 1
    if n > 10 then break end
  end
  repeat local done = n; n = n - 1 until done <= 5
  do local n = "inner"; out.inner = n end
  out.n = n
  out.even = even(10)
  out.fib = fib(15)
  for _, a in ipairs({ 1, 2 }) do
    for _, b in ipairs({ "x", "y" }) do
      if b == "y" then break end
      out[b .. a] = a
    end
  end
  return out
end
