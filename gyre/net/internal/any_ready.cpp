// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/internal/any_ready.hpp"

namespace gyre::net {

void AnyReady::Await::await_suspend(std::coroutine_handle<> by) noexcept {
    GYRE_ASSERT(watches_.size() <= watches_max, "AnyReady got %zu descriptors: pass at most %zu",
                watches_.size(), watches_max);
    for (std::size_t i = 0; i < watches_.size(); ++i) {
        watches_[i].got = Events::none;
        polls_[i].emplace(watches_[i].fd, watches_[i].wanted);
        executor().submit_for(*polls_[i], *this);
    }
    executor().submit_for(*this);
    in_flight_ = watches_.size() + 1;
    wait(by);
}

void AnyReady::Await::cancel() noexcept {
    is_cancelled_ = true;
    cancel_all();
}

void AnyReady::Await::cancel_all() noexcept {
    is_ending_ = true;
    for (auto& poll : polls_) {
        if (poll && poll->is_in_flight()) executor().cancel(*poll);
    }
    if (timer().is_in_flight()) executor().cancel(timer());
}

// The first completion cancels the other ops; the task is woken when all have completed.
void AnyReady::Await::on_complete(Op& op) noexcept {
    GYRE_ASSERT(in_flight_ > 0, "an op of AnyReady completed twice");
    --in_flight_;
    if (!op.is_cancelled()) has_event_ = true;
    for (std::size_t i = 0; i < watches_.size(); ++i) {
        if (&*polls_[i] != &op || op.is_cancelled()) continue;
        // A poll error counts as ready: the owner gets the error from its own system call.
        watches_[i].got = op.result() < 0 ? watches_[i].wanted : static_cast<Events>(op.result());
    }
    if (!is_ending_) cancel_all();
    if (in_flight_ > 0) return;
    is_cancelled_ && !has_event_ ? wake_cancelled() : wake();
}

}  // namespace gyre::net
