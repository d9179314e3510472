-- SPDX-License-Identifier: Apache-2.0
-- The cases of bench/vela/cases.vela in Lua 5.4 and LuaJIT: NAME N; prints the result and milliseconds.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local cases = {}
function cases.fib(n) return fib(n) end
function cases.loops(n)
  local total = 0
  for i = 0, n - 1 do
    for j = 0, n - 1 do total = total + (i * j) % 7 end
  end
  return total
end
function cases.floats(n)
  local x = 0.5
  for _ = 1, n do x = 3.7 * x * (1.0 - x) end
  return x
end
function cases.text(n)
  local parts = {}
  for i = 0, n - 1 do parts[#parts + 1] = "item " .. i .. ";" end
  return #table.concat(parts)
end
function cases.lists(n)
  local list = {}
  for i = 0, n - 1 do list[#list + 1] = i * 7 % 1000 end
  local total = 0
  for i = 1, #list do total = total + list[i] end
  for _, x in ipairs(list) do total = total + x end
  for i = 1, n do list[i] = total % 10 + i - 1 end
  local doubled = {}
  local double = function(x) return x * 2 end
  for i = 1, #list do doubled[i] = double(list[i]) end
  local kept = {}
  local is_kept = function(x) return x % 3 == 0 end
  for i = 1, #doubled do if is_kept(doubled[i]) then kept[#kept + 1] = doubled[i] end end
  return total + #kept
end
function cases.maps(n)
  local map = {}
  for i = 0, n - 1 do map[i * 17 % 50021] = i end
  local total = 0
  for i = 0, n - 1 do
    local v = map[i]
    if v ~= nil then total = total + v end
  end
  local words, count = {}, 0
  for i = 0, n - 1 do
    local key = "k" .. i % 1000
    if words[key] == nil then count = count + 1 end
    words[key] = (words[key] or 0) + 1
  end
  return total + count
end
function cases.sort(n)
  local list, seed = {}, 42
  for i = 1, n do
    seed = (seed * 1103515 + 12345) % 2147483648
    list[i] = seed
  end
  table.sort(list)
  return list[math.floor(n / 2) + 1]
end
local Point = {}
Point.__index = Point
local function point(x, y) return setmetatable({ x = x, y = y }, Point) end
function Point:add(other) return point(self.x + other.x, self.y + other.y) end
function Point:length() return self.x + self.y end
function cases.objects(n)
  local p, one, total = point(0, 0), point(1, 2), 0
  for _ = 1, n do
    p = p:add(one)
    total = total + p:length() % 10
  end
  return total
end
function cases.closures(n)
  local total = 0
  local f = function(x) return x + 1 end
  for _ = 1, n do total = f(total) end
  return total
end
-- The nearest to an await of a ready async function: a coroutine that ends at once.
function cases.ready(n)
  local total = 0
  for i = 0, n - 1 do
    local one = coroutine.wrap(function(x) return x end)
    total = total + one(i)
  end
  return total
end
-- And to a settled future: a yield and a resume.
function cases.settled(n)
  local total = 1
  local ready = coroutine.wrap(function() while true do coroutine.yield(1) end end)
  for _ = 1, n do total = total + ready() end
  return total
end

local name, n = arg[1], tonumber(arg[2])
if cases[name] == nil then os.exit(2) end
local started = os.clock()
print(cases[name](n))
print((os.clock() - started) * 1000)
