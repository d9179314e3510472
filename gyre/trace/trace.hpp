// SPDX-License-Identifier: Apache-2.0
// Trace: records the events of a program's loops, each loop in a ring of fixed size that keeps the
// newest events. chrome.hpp exports it; file.hpp writes that export to a file.
//
//     platform::SystemClock clock;
//     trace::Trace trace({.clock = &clock});
//     auto system = platform::make_platform(clock).value();
//     Executor executor;
//     Loop loop(*system, executor, {.observer = &trace.add_loop({.loop = "main"})});
//
// Thread: one thread adds the loops before they turn and reads the trace after their last turn.
// Each loop records on its own thread.
// Lifetime: outlives the loops. Recording allocates nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/observer.hpp"

namespace gyre::trace {

class Ring;
class TimeScale;

// A loop, and the group of loops that it exchanges ops with. Op ids are unique in a world.
struct LoopName {
    std::string loop;
    std::string world = "gyre";
};

struct RingLimits {
    std::uint32_t event_count_max = 1u << 16u;  // rounded up to a power of two
    std::uint32_t machine_name_count_max = 1024;
    std::uint32_t task_name_count_max = 4096;
};

struct TraceOptions {
    // Calibrates the processor's time-stamp counter. Null for simulated time: then events have the
    // time of their turn, and equal seeds give equal traces, byte by byte.
    Clock* clock = nullptr;
    Instant simulated_start = {};  // the simulated time before the first turn
    RingLimits limits = {};        // of each loop
};

class Trace {
public:
    explicit Trace(const TraceOptions& options = {});
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    // For LoopOptions::observer of one loop.
    Observer& add_loop(LoopName name);

    // For gyre's exporters and tests, in the order of add_loop: the types are in
    // gyre/trace/internal.
    [[nodiscard]] const std::deque<Ring>& rings() const noexcept;
    [[nodiscard]] TimeScale time_scale() const noexcept;

private:
    struct State;
    const std::unique_ptr<State> state_;
};

}  // namespace gyre::trace
