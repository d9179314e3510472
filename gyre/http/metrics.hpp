// SPDX-License-Identifier: Apache-2.0
// metrics_of, MetricsBoard: counters of loops, tasks, pools and servers in the text format of
// Prometheus.
//
//     server.get("/metrics", http::metrics_of(server));
//
//     http::MetricsBoard board;  // several loops, each with its own server
//     server.get("/metrics", board.handler(server, "loop 2"));
//     scope.spawn([&] { return board.keep(server, "loop 2"); });
//
// Thread: metrics_of and read_loop on the loop's thread; a MetricsBoard is shared by all threads, a
// mutex guards its rows.
// Lifetime: server, pools and board outlive the handlers made of them.
//
// The idle time of a loop is reported if LoopOptions::measures_idle_time is set.
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

// The counters of one loop and its server. A plain value.
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
[[nodiscard]] LoopReading read_loop(const Executor& executor, const Server& server);

// By the name of the loop. `pools` may be null.
using LoopReadings = std::map<std::string, LoopReading, std::less<>>;
[[nodiscard]] std::string metrics_text(const LoopReadings& loops, const pool::Pools* pools);

// A handler that responds with the counters of this server and its loop, whose name is the number
// of its thread.
[[nodiscard]] Handler metrics_of(const Server& server, const pool::Pools* pools = nullptr);

// The counters of several loops: each loop writes its row, and each server responds with all rows.
class MetricsBoard {
public:
    explicit MetricsBoard(const pool::Pools* pools = nullptr) noexcept : pools_(pools) {}

    void put(std::string_view loop, const LoopReading& reading);
    [[nodiscard]] std::string text() const;
    // A handler that updates the row of its own loop and responds with all rows.
    [[nodiscard]] Handler handler(const Server& server, std::string loop);
    // Updates the row of this loop periodically until it is cancelled.
    [[nodiscard]] Future<void> keep(const Server& server, std::string loop,
                                    Duration every = std::chrono::seconds(1));

private:
    const pool::Pools* const pools_;
    mutable std::mutex mutex_;
    LoopReadings loops_;
};

}  // namespace gyre::http
