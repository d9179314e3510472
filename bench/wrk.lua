-- SPDX-License-Identifier: Apache-2.0
-- What wrk sends for bench/http_load.py: `-- DEPTH` requests at a time on each connection. At the end it prints a line
-- `answers N failures N microseconds N`, then its record of waiting: `time MICROSECONDS COUNT` lines.

function init(arguments)
    local depth = tonumber(arguments[1]) or 1
    if depth == 1 then return end
    local batch = string.rep(wrk.format("GET"), depth)
    -- Only where it is needed: wrk sends what no function makes without asking Lua each time.
    request = function() return batch end
end

function done(summary, latency, requests)
    local errors = summary.errors
    local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    io.write(string.format("answers %d failures %d microseconds %d\n", summary.requests, failures,
        summary.duration))
    for i = 1, #latency do
        local time, count = latency(i)
        io.write(string.format("time %d %d\n", time, count))
    end
end
