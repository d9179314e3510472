// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/request.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

ActiveRequest::~ActiveRequest() {
    GYRE_ASSERT(!is_active(), "free a request in its callback or later: it is still active");
}

void ActiveRequest::begin(PhasedLoop& loop) noexcept {
    GYRE_ASSERT(!is_active(), "a request is started again only after its callback");
    loop_ = &loop;
    loop.requests_.push_back(*this);
    ++loop.active_requests_;
    if (is_do_not_wait_) ++loop.do_not_wait_count_;
}

void ActiveRequest::end() noexcept {
    GYRE_ASSERT(is_active(), "a request ends once");
    static_cast<Link<RequestLinks>&>(*this).unlink();
    --loop_->active_requests_;
    if (is_do_not_wait_) --loop_->do_not_wait_count_;
}

void ActiveRequest::defer() noexcept {
    loop_->pending_.push_back(*this);
}

void ActiveRequest::submit(gyre::Request& op) noexcept {
    loop_->submit(op, *this);
}

Status ActiveRequest::submit_now(gyre::Request& op) noexcept {
    return loop_->submit_now(op, *this);
}

void ActiveRequest::cancel(Op& op) noexcept {
    loop_->dispatcher_.cancel(op);
}

CallResult<Status> Deferred::start(PhasedLoop& loop, OnPending on_pending) {
    return loop.call([this, &loop, on_pending = std::move(on_pending)]() mutable -> Status {
        if (is_active()) return std::unexpected(Error(std::errc::invalid_argument));
        callback_ = std::move(on_pending);
        begin(loop);
        defer();
        return {};
    });
}

CallResult<Status> Deferred::cancel() {
    if (loop() == nullptr) return Status(std::unexpected(Error(std::errc::invalid_argument)));
    return loop()->call([this]() -> Status {
        if (!is_active()) return std::unexpected(Error(std::errc::invalid_argument));
        static_cast<Link<PendingLinks>&>(*this).unlink();
        end();
        callback_.reset();
        return {};
    });
}

void Deferred::on_pending() noexcept {
    end();
    callback_.call_last<Deferred&>(*this);
}

Status OpRequest::start(PhasedLoop& loop, gyre::Request& op, OnDone on_done) noexcept {
    if (is_active()) return std::unexpected(Error(std::errc::invalid_argument));
    op_ = &op;
    callback_ = std::move(on_done);
    begin(loop);
    submit(op);
    return {};
}

Status OpRequest::cancel() noexcept {
    if (!is_active()) return std::unexpected(Error(std::errc::invalid_argument));
    ActiveRequest::cancel(*op_);
    return {};
}

void OpRequest::on_done(Op& op) noexcept {
    end();
    callback_.call_last<OpRequest&, std::int32_t>(*this, op.result());
}

CallResult<Status> Work::queue(Callback<> function, OnDone on_done) {
    return home_.call(
        [this, function = std::move(function), on_done = std::move(on_done)]() mutable -> Status {
            if (is_active() || !function)
                return std::unexpected(Error(std::errc::invalid_argument));
            function_ = std::move(function);
            callback_ = std::move(on_done);
            exception_ = nullptr;
            return queue_here();
        });
}

// Work that waits for room stays in order: later work waits behind it.
Status Work::queue_here() noexcept {
    begin(home_);
    const bool is_first = home_.waiting_work_.empty();
    const Status handed = is_first ? submit_now(*this) : Status();
    if (!is_first ||
        (!handed && handed.error().code() == std::errc::resource_unavailable_try_again)) {
        home_.wait_for_room(*this);
        return {};
    }
    if (!handed) end();
    return handed;
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

CallResult<Status> Work::cancel() {
    return home_.call([this] { return cancel_here(); });
}

Status Work::cancel_here() noexcept {
    if (!is_active()) return std::unexpected(Error(std::errc::invalid_argument));
    if (auto& waiting = static_cast<Link<PendingLinks>&>(*this); waiting.is_linked()) {
        waiting.unlink();
        defer();
        return {};
    }
    ActiveRequest::cancel(*this);
    const bool has_begun =
        state() == OpState::offloaded || (state() == OpState::ready && !is_cancelled());
    if (has_begun) return std::unexpected(Error(std::errc::device_or_resource_busy));
    return {};
}

void Work::on_done(Op& op) noexcept {
    home_.hand_over_waiting_work();
    finish(op.result() < 0 ? Status(std::unexpected(Error::of_result(op.result()))) : Status());
}

// It was cancelled before the pool had room for it.
void Work::on_pending() noexcept {
    finish(std::unexpected(Error(std::errc::operation_canceled)));
}

void Work::finish(Status status) noexcept {
    end();
    function_.reset();
    callback_.call_last<Work&, Status>(*this, status);
}

}  // namespace gyre::handle
