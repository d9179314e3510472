// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/work.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

Carried<Status> Work::queue(Callback<> function, OnDone on_done) {
    return home_.call(
        [this, function = std::move(function), on_done = std::move(on_done)]() mutable -> Status {
            if (is_active() || !function)
                return std::unexpected(Error(std::errc::invalid_argument));
            function_ = std::move(function);
            callback_ = std::move(on_done);
            exception_ = nullptr;
            begin(home_);
            submit(*this);
            return {};
        });
}

std::int32_t Work::run_function(WorkOp& op) noexcept {
    auto& work = static_cast<Work&>(op);
    try {
        work.function_();
        return 0;
    } catch (...) {
        work.exception_ = std::current_exception();
        return failure(std::errc::state_not_recoverable);
    }
}

Carried<Status> Work::cancel() {
    return home_.call([this] { return cancel_here(); });
}

Status Work::cancel_here() noexcept {
    if (!is_active()) return std::unexpected(Error(std::errc::invalid_argument));
    ActiveRequest::cancel(*this);
    const bool has_begun =
        state() == OpState::offloaded || (state() == OpState::ready && !is_cancelled());
    if (has_begun) return std::unexpected(Error(std::errc::device_or_resource_busy));
    return {};
}

void Work::on_done(Op& op) noexcept {
    end();
    const Status status =
        op.result() < 0 ? Status(std::unexpected(Error::of_result(op.result()))) : Status();
    function_.reset();
    callback_.call_last<Work&, Status>(*this, status);
}

}  // namespace gyre::handle
