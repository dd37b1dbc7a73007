-- wrk's requests: pictures, each with other bytes at its end so that no two are equal, and one garbage body in ten.
-- After a 429 a connection waits a little, as a client does that was told to.

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  threads[#threads + 1] = thread
end

local garbage_share, pause = 0.1, 200
local pictures, sent, pauses = {}, 0, 0
statuses = ""
local counts = {}

function init(args)
  math.randomseed(os.time() + number)
  for _, path in ipairs(args) do
    local file = assert(io.open(path, "rb"))
    pictures[#pictures + 1] = file:read("*a")
    file:close()
  end
end

function request()
  sent = sent + 1
  local body = string.format("garbage %d %d", number, sent)
  if math.random() >= garbage_share then
    body = pictures[math.random(#pictures)] .. body
  end
  return wrk.format("POST", "/crop/avatar/256.jpg", { ["Host"] = "load" }, body)
end

function delay()
  if pauses == 0 then return 0 end
  pauses = pauses - 1
  return pause
end

function response(status)
  counts[status] = (counts[status] or 0) + 1
  if status == 429 then pauses = pauses + 1 end
  local list = {}
  for code, count in pairs(counts) do list[#list + 1] = code .. "=" .. count end
  statuses = table.concat(list, " ")
end

function done(summary, latency)
  local total = {}
  for _, thread in ipairs(threads) do
    for code, count in thread:get("statuses"):gmatch("(%d+)=(%d+)") do
      total[code] = (total[code] or 0) + tonumber(count)
    end
  end
  for code, count in pairs(total) do io.write("status ", code, " ", count, "\n") end
  local errors = summary.errors
  io.write("errors ", errors.connect + errors.read + errors.write + errors.timeout, "\n")
  io.write("seconds ", summary.duration / 1e6, "\n")
end
