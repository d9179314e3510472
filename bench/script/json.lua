-- SPDX-License-Identifier: Apache-2.0
-- What wrk sends to the servers that echo JSON.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"id":17,"name":"a name","tags":["one","two","three"],"at":{"x":1.5,"y":-2}}'
