// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/combine/detail/gather.hpp"

#include "gyre/task/core/detail/task_report.hpp"

namespace gyre {

void Gather::on_ended(const Task& task, std::exception_ptr failure) noexcept {
    GYRE_ASSERT(tally_.left > 0, "a task ended that this Gather did not start");
    --tally_.left;
    ++(failure == nullptr ? tally_.good : tally_.failed);
    if (is_beginning_) return;
    if (decider_ != nullptr) {
        if (failure != nullptr && !is_all_seen_) TaskReport::log_unseen(task, failure);
        return;
    }
    if (!is_decided_(tally_)) return;
    decider_ = &task;
    failure_ = std::move(failure);
    if (tally_.left > 0) scope_.cancel("its value is no longer wanted");
}

void Gather::decide() noexcept {
    GYRE_ASSERT(is_beginning_, "decide() comes once, after the last begin()");
    is_beginning_ = false;
    const bool has_ended_one = tally_.good + tally_.failed > 0;
    if (has_ended_one && tally_.left > 0) scope_.cancel("its value is no longer wanted");
}

Future<void> Gather::decided() {
    co_await scope_.all_ended();
    if (failure_ == nullptr) co_return;
    // If the owner is cancelled, that is why they failed.
    co_await cancel_point();
    std::rethrow_exception(failure_);
}

}  // namespace gyre
