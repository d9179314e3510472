// SPDX-License-Identifier: Apache-2.0
// Fixture for tests of effects: a scheduler on an executor in virtual time, and an observer that
// records every event. One thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gyre/effect/coroutine_guest.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/effect/scripted_guest.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/sync/event.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::effect {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

struct Async {
    static constexpr ResumeOp<int(int)> await{"com.example.async", "await"};
    static constexpr ResumeOp<int(int)> other{"com.example.async", "other"};
    static constexpr TailOp<int(int)> now{"com.example.async", "now"};
    static constexpr TailOp<void(std::string)> log{"com.example.async", "log"};
};

class LineObserver final : public RunObserver {
public:
    void on_run(const RunEvent& event) noexcept override { lines.push_back(to_line(event)); }
    Lines lines;
};

struct EffectWorld : test::TestWorld<Executor> {
    sim::VirtualClock& clock = outside.clock;
    sim::SimPlatform& platform = outside.platform();
    Executor& executor = app;
    LineObserver observer;
    Lines failures;
    Scheduler scheduler;
    Instant begin = clock.peek();
    Handlers handlers;

    explicit EffectWorld(SchedulerOptions options = {})
        : scheduler(executor, with_sinks(std::move(options))) {}
    // The runs end while the scheduler and the observer are there.
    ~EffectWorld() { loop.close(); }

    SchedulerOptions with_sinks(SchedulerOptions options) {
        options.observer = &observer;
        if (!options.failure_sink) {
            options.failure_sink = [this](RunId id, const RunError& error) {
                failures.push_back("run " + std::to_string(id) + " " + name_of(error.kind) + ": " +
                                   error.message);
            };
        }
        return options;
    }

    // Runs an entry to the end of everything.
    template <class T = Value>
    RunOutcome<T> run(Guest& guest, std::string_view entry = "main", Arguments arguments = {},
                      StartOptions options = {}) {
        auto handle = scheduler.start<T>(guest, handlers, entry, std::move(arguments), options);
        static_cast<void>(loop.run());
        return handle.outcome();
    }
    [[nodiscard]] std::int64_t passed_ms() const { return (clock.peek() - begin) / 1ms; }
};

// The table of scripted guests: 0 and 1 are resume ops, 2 and 3 tail ops.
inline std::vector<OpInfo> async_ops() {
    return {Async::await.info, Async::other.info, Async::now.info, Async::log.info};
}

}  // namespace gyre::effect
