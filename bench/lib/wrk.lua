-- What wrk can't say by itself: exact totals of a run as one line of JSON, and requests that differ: when it is given a file
-- size, a range at another place in that file each time, and when it is given a file of requests (a target and headers a
-- line, between tabs), each of them in turn. The requests are made before the clock starts.
-- Arguments: {size of the file} {bytes of a range}, or {file of requests}, or none.

local requests = {}
local at = 0

local function read_requests(path)
  for line in io.lines(path) do
    local fields = {}
    for field in line:gmatch("[^\t]+") do fields[#fields + 1] = field end
    local headers = {}
    for i = 2, #fields do
      local name, value = fields[i]:match("^([^:]+): (.*)$")
      headers[name] = value
    end
    requests[#requests + 1] = wrk.format("GET", fields[1], headers)
  end
end

local function make_ranges(file_bytes, range_bytes)
  math.randomseed(20261121)
  for i = 1, 16384 do
    local start = math.floor(math.random() * (file_bytes - range_bytes))
    requests[i] = wrk.format("GET", nil, { ["Range"] = "bytes=" .. start .. "-" .. (start + range_bytes - 1) })
  end
end

function init(args)
  if args[1] == nil then return end
  local file_bytes = tonumber(args[1])
  if file_bytes == nil then read_requests(args[1]) else make_ranges(file_bytes, tonumber(args[2])) end
  request = function()
    at = at % #requests + 1
    return requests[at]
  end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout
  local form = '\n{"requests":%d,"bytes":%.0f,"micros":%d,"p50Micros":%.0f,"p99Micros":%.0f,"failed":%d,"refused":%d}\n'
  io.write(form:format(summary.requests, summary.bytes, summary.duration,
    latency:percentile(50), latency:percentile(99), failed, errors.status))
end
