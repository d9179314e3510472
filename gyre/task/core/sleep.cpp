// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/sleep.hpp"

namespace gyre {

Future<Instant> Interval::next() {
    const Task& task = co_await this_task();
    const Executor& executor = task.executor();
    if (due_ == Instant::never()) due_ = executor.now() + period_;
    co_await sleep_until(due_);
    const Instant tick = due_;
    due_ = following(tick, executor.now());
    co_return tick;
}

Instant Interval::following(Instant tick, Instant now) const noexcept {
    const Instant next = tick + period_;
    if (policy_ == MissedTicks::burst || now < next) return next;
    if (policy_ == MissedTicks::delay) return now + period_;
    return now + (period_ - (now - tick) % period_);
}

}  // namespace gyre
