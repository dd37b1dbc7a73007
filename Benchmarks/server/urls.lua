-- wrk's requests: the paths of a file, one after the other; each of the threads has its own part of them.
local threads = 0
local paths, next = {}, 0

function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(args)
  local count = 0
  for path in io.lines(args[1]) do
    count = count + 1
    if count % 2 == number % 2 then paths[#paths + 1] = path end
  end
end

function request()
  next = next % #paths + 1
  return wrk.format("GET", paths[next])
end

function done(summary, latency)
  local errors = summary.errors
  io.write("answers ", summary.requests, "\n")
  io.write("wrong ", errors.status, "\n")
  io.write("broken ", errors.connect + errors.read + errors.write + errors.timeout, "\n")
  io.write("seconds ", summary.duration / 1e6, "\n")
  io.write("p50 ", latency:percentile(50) / 1e3, "\n")
  io.write("p99 ", latency:percentile(99) / 1e3, "\n")
end
