// SPDX-License-Identifier: Apache-2.0
// Counts as lines.
#include "gyre/http/metrics.hpp"

#include "gyre/task/executor.hpp"
#include "gyre/task/this_task.hpp"

namespace gyre::http {
namespace {

void append_metric(std::string& out, const char* name, const char* kind, const char* help,
                   std::uint64_t value) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out.append("# TYPE ").append(name).append(" ").append(kind).append("\n");
    out.append(name).append(" ").append(std::to_string(value)).append("\n");
}

}  // namespace

std::string metrics_text(const ServerCounts& counts, std::size_t task_count) {
    std::string out;
    append_metric(out, "gyre_tasks", "gauge", "Tasks of the loop.", task_count);
    append_metric(out, "gyre_http_connections_open", "gauge", "Connections that are open.",
                  counts.open_connections);
    append_metric(out, "gyre_http_connections_total", "counter", "Connections that were served.",
                  counts.connections);
    append_metric(out, "gyre_http_requests_total", "counter", "Requests that were read.",
                  counts.requests);
    append_metric(out, "gyre_http_refused_total", "counter",
                  "Messages and connections that were refused.", counts.refused);
    append_metric(out, "gyre_http_timed_out_total", "counter", "Connections that a time ended.",
                  counts.timed_out);
    append_metric(out, "gyre_http_failed_total", "counter", "Handlers that failed.", counts.failed);
    return out;
}

Handler metrics_of(const Server& server) {
    return [&server](Request&, Response& response) -> Future<void> {
        const Task& task = co_await this_task();
        response.type("text/plain; version=0.0.4")
            .send(metrics_text(server.counts(), task.executor().task_count()));
    };
}

}  // namespace gyre::http
