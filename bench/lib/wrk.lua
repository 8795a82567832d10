-- What wrk can't say by itself: exact totals of a run as one line of JSON, and, when it is given a file size, a range
-- request with another place in that file each time. The requests are made before the clock starts.
-- Arguments: {size of the file} {bytes of a range}, or none.

local requests = {}
local at = 0

function init(args)
  local file_bytes, range_bytes = tonumber(args[1]), tonumber(args[2])
  if file_bytes == nil then return end
  math.randomseed(20261121)
  for i = 1, 16384 do
    local start = math.floor(math.random() * (file_bytes - range_bytes))
    requests[i] = wrk.format("GET", nil, { ["Range"] = "bytes=" .. start .. "-" .. (start + range_bytes - 1) })
  end
  request = function()
    at = at % #requests + 1
    return requests[at]
  end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local form = '\n{"requests":%d,"bytes":%.0f,"micros":%d,"p50Micros":%.0f,"p99Micros":%.0f,"failed":%d}\n'
  io.write(form:format(summary.requests, summary.bytes, summary.duration,
    latency:percentile(50), latency:percentile(99), failed))
end
