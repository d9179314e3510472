-- SPDX-License-Identifier: Apache-2.0
-- What wrk sends for bench/apps/apps.py: `-- APPLICATION`. At the end it prints `answers N failures N`.

function init(arguments)
    if arguments[1] ~= "json" then return end
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
    wrk.body = '{"customer": "Ada Lovelace", "items": [' ..
        '{"name": "paper", "price": 1.5, "count": 20}, {"name": "pencil", "price": 0.25, "count": 12}, ' ..
        '{"name": "a machine", "price": 15000, "count": 1}]}'
end

function done(summary, latency, requests)
    local errors = summary.errors
    local failures = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    io.write(string.format("answers %d failures %d\n", summary.requests, failures))
end
