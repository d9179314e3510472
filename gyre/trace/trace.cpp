// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/trace.hpp"

#include <utility>

#include "gyre/trace/internal/ring.hpp"

namespace gyre::trace {

struct Trace::State {
    explicit State(const TraceOptions& options)
        : limits(options.limits), timestamps(options.clock, options.simulated_start) {}

    const RingLimits limits;
    Timestamps timestamps;
    std::deque<Ring> rings;
};

Trace::Trace(const TraceOptions& options) : state_(std::make_unique<State>(options)) {}

Trace::~Trace() = default;

Observer& Trace::add_loop(LoopName name) {
    return state_->rings.emplace_back(std::move(name), state_->limits, state_->timestamps);
}

const std::deque<Ring>& Trace::rings() const noexcept {
    return state_->rings;
}

TimeScale Trace::time_scale() const noexcept {
    return state_->timestamps.scale();
}

}  // namespace gyre::trace
