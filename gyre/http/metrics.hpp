// SPDX-License-Identifier: Apache-2.0
// What loops, their tasks, the pools and the servers have done, in the text that Prometheus reads.
//
// One loop, on its own thread:
//
//     server.get("/metrics", http::metrics_of(server, &pools));
//
// Several loops with a server each share a MetricsBoard, which outlives them. Each loop writes its
// own row there, each may be asked for all of them:
//
//     server.get("/metrics", board.handler(server, "2"));
//     scope.spawn([&] { return board.keep(server, "2"); });
//
// The time a loop sleeps is told where LoopOptions::measures_idle_time says so.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "gyre/http/server.hpp"
#include "gyre/pool/pools.hpp"

namespace gyre::http {

// Of one loop and the server on it. A plain value.
struct LoopReading {
    std::uint64_t turns = 0;
    std::uint64_t sleeps = 0;
    Duration idle_time{0};
    std::uint64_t ops = 0;
    std::uint64_t ops_in_flight = 0;
    std::size_t timers = 0;
    std::size_t tasks = 0;
    std::uint64_t tasks_started = 0;
    ServerCounts server;
};
// On the loop's thread.
[[nodiscard]] LoopReading read_loop(const Executor& executor, const Server& server);

// By the names of the loops. Without pools their lines are left out.
using LoopReadings = std::map<std::string, LoopReading, std::less<>>;
[[nodiscard]] std::string metrics_text(const LoopReadings& loops, const pool::Pools* pools);

// Of that server and its loop, which is called by its thread's number.
[[nodiscard]] Handler metrics_of(const Server& server, const pool::Pools* pools = nullptr);

// The rows of several loops. Any thread may read it or write a row: a mutex guards them, for as
// long as a copy takes.
class MetricsBoard {
public:
    explicit MetricsBoard(const pool::Pools* pools = nullptr) noexcept : pools_(pools) {}

    void put(std::string_view loop, const LoopReading& reading);
    [[nodiscard]] std::string text() const;
    // On the server's loop: the rows of all, its own as it is now.
    [[nodiscard]] Handler handler(const Server& server, std::string loop);
    // Writes the row of this loop again and again, until it is cancelled.
    [[nodiscard]] Future<void> keep(const Server& server, std::string loop,
                                    Duration every = std::chrono::seconds(1));

private:
    const pool::Pools* const pools_;
    mutable std::mutex mutex_;
    LoopReadings loops_;
};

}  // namespace gyre::http
