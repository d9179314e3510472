// SPDX-License-Identifier: Apache-2.0
// The text format of Prometheus.
#include "gyre/http/metrics.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::http {
namespace {

void append_kind(std::string& out, const char* name, const char* kind, const char* help) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out.append("# TYPE ").append(name).append(" ").append(kind).append("\n");
}

void append_line(std::string& out, const char* name, const char* label, std::string_view value,
                 const std::string& number) {
    out.append(name).append("{").append(label).append("=\"");
    for (const char c : value) {
        if (c == '\n') {
            out.append("\\n");
            continue;
        }
        if (c == '\\' || c == '"') out.append("\\");
        out.push_back(c);
    }
    out.append("\"} ").append(number).append("\n");
}

std::string in_seconds(Duration time) {
    std::array<char, 40> text{};
    const int size = std::snprintf(text.data(), text.size(), "%lld.%09lld",
                                   static_cast<long long>(time.count() / 1'000'000'000),
                                   static_cast<long long>(time.count() % 1'000'000'000));
    return {text.data(), static_cast<std::size_t>(size)};
}

// A metric of loops.
struct LoopMetric {
    const char* name;
    const char* kind;
    const char* help;
    std::string (*value)(const LoopReading&);
};

template <auto member>
std::string loop_number(const LoopReading& reading) {
    return std::to_string(reading.*member);
}
template <auto member>
std::string server_count(const LoopReading& reading) {
    return std::to_string(reading.server.*member);
}

constexpr LoopMetric loop_metrics[] = {
    {"gyre_loop_turns_total", "counter", "Turns of the loop.", &loop_number<&LoopReading::turns>},
    {"gyre_loop_sleeps_total", "counter", "Turns that slept.", &loop_number<&LoopReading::sleeps>},
    {"gyre_loop_idle_seconds_total", "counter", "How long the loop has slept, where measured.",
     [](const LoopReading& reading) { return in_seconds(reading.idle_time); }},
    {"gyre_loop_ops_total", "counter", "Ops that were submitted.", &loop_number<&LoopReading::ops>},
    {"gyre_loop_ops_in_flight", "gauge", "Ops that are not back.",
     &loop_number<&LoopReading::ops_in_flight>},
    {"gyre_loop_timers", "gauge", "Timers that run.", &loop_number<&LoopReading::timers>},
    {"gyre_tasks", "gauge", "Tasks of the loop.", &loop_number<&LoopReading::tasks>},
    {"gyre_tasks_started_total", "counter", "Tasks that were started.",
     &loop_number<&LoopReading::tasks_started>},
    {"gyre_http_connections_open", "gauge", "Connections that are open.",
     &server_count<&ServerCounts::open_connections>},
    {"gyre_http_connections_parked", "gauge", "Of these, those that wait without a task.",
     &server_count<&ServerCounts::parked_connections>},
    {"gyre_http_connections_total", "counter", "Connections that were served.",
     &server_count<&ServerCounts::connections>},
    {"gyre_http_requests_total", "counter", "Requests that were read.",
     &server_count<&ServerCounts::requests>},
    {"gyre_http_refused_total", "counter", "Messages and connections that were refused.",
     &server_count<&ServerCounts::refused>},
    {"gyre_http_timed_out_total", "counter", "Connections that a time ended.",
     &server_count<&ServerCounts::timed_out>},
    {"gyre_http_failed_total", "counter", "Handlers that failed.",
     &server_count<&ServerCounts::failed>},
    {"gyre_http_over_memory_total", "counter",
     "Messages and connections refused for lack of memory.",
     &server_count<&ServerCounts::over_memory>},
    {"gyre_http_memory_bytes", "gauge", "Memory that connections are charged for.",
     &server_count<&ServerCounts::memory_bytes>},
};

struct PoolMetric {
    const char* name;
    const char* kind;
    const char* help;
    std::string (*value)(const pool::PoolMetrics&);
};

template <auto member>
std::string pool_number(const pool::PoolMetrics& metrics) {
    return std::to_string(metrics.*member);
}

constexpr PoolMetric pool_metrics[] = {
    {"gyre_pool_threads", "gauge", "Threads that were started.",
     &pool_number<&pool::PoolMetrics::threads>},
    {"gyre_pool_queued", "gauge", "Work that waits for a thread.",
     &pool_number<&pool::PoolMetrics::queued>},
    {"gyre_pool_running", "gauge", "Work that runs.", &pool_number<&pool::PoolMetrics::running>},
    {"gyre_pool_done_total", "counter", "Work that ran to its end.",
     &pool_number<&pool::PoolMetrics::done>},
    {"gyre_pool_withdrawn_total", "counter", "Work that was withdrawn before it ran.",
     &pool_number<&pool::PoolMetrics::withdrawn>},
    {"gyre_pool_refused_total", "counter", "Work that was refused for want of room.",
     &pool_number<&pool::PoolMetrics::refused>},
    {"gyre_pool_longest_wait_seconds", "gauge", "The longest time that work has waited.",
     [](const pool::PoolMetrics& metrics) { return in_seconds(metrics.longest_wait); }},
};

void answer_with(Response& response, std::string text) {
    response.type("text/plain; version=0.0.4").send(std::move(text));
}

}  // namespace

LoopReading read_loop(const Executor& executor, const Server& server) {
    const Loop& loop = executor.loop();
    return {.turns = loop.turn_count(),
            .sleeps = loop.sleep_count(),
            .idle_time = loop.idle_time(),
            .ops = loop.op_count(),
            .ops_in_flight = loop.ops_in_flight(),
            .timers = loop.timer_count(),
            .tasks = executor.task_count(),
            .tasks_started = executor.started_count(),
            .server = server.counts()};
}

std::string metrics_text(const LoopReadings& loops, const pool::Pools* pools) {
    std::string out;
    for (const LoopMetric& metric : loop_metrics) {
        append_kind(out, metric.name, metric.kind, metric.help);
        for (const auto& [loop, reading] : loops) {
            append_line(out, metric.name, "loop", loop, metric.value(reading));
        }
    }
    if (pools == nullptr) return out;
    const std::pair<const char*, pool::PoolMetrics> each[] = {
        {"files", pools->files()}, {"names", pools->names()}, {"user", pools->user()}};
    for (const PoolMetric& metric : pool_metrics) {
        append_kind(out, metric.name, metric.kind, metric.help);
        for (const auto& [name, numbers] : each) {
            append_line(out, metric.name, "pool", name, metric.value(numbers));
        }
    }
    return out;
}

Handler metrics_of(const Server& server, const pool::Pools* pools) {
    return [&server, pools](Request&, Response& response) -> Future<void> {
        const Task& task = co_await this_task();
        const Executor& executor = task.executor();
        LoopReadings loops;
        loops.emplace(std::to_string(executor.loop().thread_id()), read_loop(executor, server));
        answer_with(response, metrics_text(loops, pools));
    };
}

void MetricsBoard::put(std::string_view loop, const LoopReading& reading) {
    const std::lock_guard lock(mutex_);
    const auto found = loops_.find(loop);
    if (found != loops_.end()) {
        found->second = reading;
    } else {
        loops_.emplace(loop, reading);
    }
}

std::string MetricsBoard::text() const {
    std::unique_lock lock(mutex_);
    const LoopReadings loops = loops_;
    lock.unlock();
    return metrics_text(loops, pools_);
}

Handler MetricsBoard::handler(const Server& server, std::string loop) {
    return [this, &server, loop = std::move(loop)](Request&, Response& response) -> Future<void> {
        const Task& task = co_await this_task();
        put(loop, read_loop(task.executor(), server));
        answer_with(response, text());
    };
}

Future<void> MetricsBoard::keep(const Server& server, std::string loop, Duration every) {
    GYRE_ASSERT(every > Duration(0),
                "keep() with a period of 0 would never wait: pass a longer one");
    const Task& task = co_await this_task();
    for (;;) {
        put(loop, read_loop(task.executor(), server));
        co_await sleep(every);
    }
}

}  // namespace gyre::http
