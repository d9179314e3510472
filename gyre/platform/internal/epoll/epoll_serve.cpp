// SPDX-License-Identifier: Apache-2.0
// The part of EpollPlatform that starts and withdraws ops; epoll.cpp tries them, and
// epoll_registration.cpp registers descriptors with epoll.
//
// An op that must wait is in one of its descriptor's lists until an edge, its cancellation, the
// close of the descriptor or the end of the loop. A descriptor with more to do than one turn allows
// is `unfinished`: its edge is consumed, so the next tick runs it again. A descriptor whose ops
// lack descriptors or memory is `starved`: no edge will come, so they are retried after a delay or
// after the next close.
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/internal/holds.hpp"
#include "gyre/platform/internal/system/file_calls.hpp"

namespace gyre::platform {
namespace {

bool is_for_levels_only(const Descriptor& descriptor) noexcept {
    bool is_so = descriptor.reads.empty() && descriptor.writes.empty();
    descriptor.watchers.for_each([&is_so](const Hold& hold) { is_so = is_so && is_level(hold); });
    return is_so;
}

}  // namespace

void EpollPlatform::tick(Instant /*now*/) {
    while (Op* op = next_submission()) serve(*op);
    while (Op* op = next_cancellation()) withdraw(*op);
    resume_unfinished();
}

void EpollPlatform::on_close() {
    descriptors_.for_each([this](Descriptor& descriptor) {
        finish_all(descriptor.reads, cancelled);
        finish_all(descriptor.writes, cancelled);
        finish_all(descriptor.watchers, cancelled);
        descriptor.leave_lists();
    });
    finish_signals();
    retry_at_ = Instant::never();
}

void EpollPlatform::serve(Op& op) noexcept {
    const bool is_from_elsewhere = op.source().thread != ref().thread;
    if (is_from_elsewhere && (op.is_standing() || is_file_op(op.code()))) {
        // The memory that a standing op shares with its server is for one thread, and blocking work
        // completes on the loop that started it.
        complete(op, failure(std::errc::operation_not_supported));
        return;
    }
    if (!is_io(op.code())) return complete(op, failure(std::errc::function_not_supported));
    switch (side_of(io_code(op))) {
        case IoSide::input:
            return serve_read(hold_of(op));
        case IoSide::output:
            return serve_write(hold_of(op));
        case IoSide::file:
            return serve_file(static_cast<IoOp&>(op));
        case IoSide::watch:
            if (op.code() == IoCode::poll) return serve_poll(static_cast<PollOp&>(op));
            return serve_readiness(static_cast<ReadinessOp&>(op));
        case IoSide::control:
            if (op.code() == IoCode::signal) return serve_signal(static_cast<SignalOp&>(op));
            return serve_close(static_cast<CloseOp&>(op));
    }
}

void EpollPlatform::serve_read(Hold& hold) noexcept {
    Descriptor* descriptor = descriptor_for(hold);
    if (descriptor == nullptr) return;
    const bool is_first = descriptor->reads.empty();
    descriptor->reads.push_back(hold);
    if (is_first && descriptor->may_read) run_side(*descriptor, descriptor->reads);
}

void EpollPlatform::serve_write(Hold& hold) noexcept {
    Descriptor* descriptor = descriptor_for(hold);
    if (descriptor == nullptr) return;
    const bool is_first = descriptor->writes.empty();
    descriptor->writes.push_back(hold);
    if (is_first && descriptor->may_write) run_side(*descriptor, descriptor->writes);
}

// A poll reports the state, not its change: so the descriptor is polled now, and again at each
// edge.
void EpollPlatform::serve_poll(PollOp& op) noexcept {
    Descriptor* descriptor = descriptor_for(op);
    if (descriptor == nullptr) return;
    const Result<Events> ready = ready_events(op.fd, op.events);
    if (!ready) return complete(op, ready.error().as_result());
    if (any(*ready)) return complete(op, static_cast<std::int32_t>(*ready));
    if (const std::int32_t status = ensure_registered(*descriptor); status < 0) {
        return complete(op, status);
    }
    descriptor->watchers.push_back(op);
}

void EpollPlatform::serve_readiness(ReadinessOp& op) noexcept {
    Descriptor* descriptor = descriptor_for(op);
    if (descriptor == nullptr) return;
    descriptor->watchers.push_back(op);
    const bool has_own_registration = is_for_levels_only(*descriptor);
    const bool was_registered = descriptor->is_registered && !descriptor->is_level;
    const std::int32_t status =
        has_own_registration ? register_levels(*descriptor) : ensure_registered(*descriptor);
    // A file that epoll refuses (EPERM) is always ready: the events reported now stay valid.
    if (status < 0 && status != failure(std::errc::operation_not_permitted)) {
        return finish(op, status);
    }
    if (has_own_registration && status == 0) return;
    if (op.is_level()) return levels_.add(op);
    if (status == 0 && !was_registered) return;  // The first edge is the present state.
    const Result<Events> ready = ready_events(op.fd, op.wanted);
    if (!ready) return finish(op, ready.error().as_result());
    if (!any(*ready)) return;
    op.happened = op.happened | *ready;
    notify(op);
}

// The op is in a list although nothing waits for an edge: a close must find it.
void EpollPlatform::serve_file(IoOp& op) noexcept {
    if (has_descriptor(op)) {
        Descriptor* descriptor = descriptor_for(op);
        if (descriptor == nullptr) return;
        descriptor->files.push_back(op);
    }
    offload(op, run_file_op);
}

void EpollPlatform::on_offload_done(Op& op, std::int32_t result) {
    if (!has_descriptor(static_cast<IoOp&>(op))) return complete(op, result);
    Hold& hold = hold_of(op);
    finish(hold, result);
    Descriptor& descriptor = *descriptors_.find(hold.fd);
    if (!descriptor.is_closing || !descriptor.files.empty()) return;
    descriptor.is_closing = false;
    if (descriptor.close != nullptr) {
        finish_close(*std::exchange(descriptor.close, nullptr));
    } else {
        sockets().close_now(descriptor.fd);
    }
}

void EpollPlatform::serve_close(CloseOp& op) noexcept {
    const Descriptor* descriptor = descriptors_.find(op.fd);
    const bool is_closing = descriptor != nullptr && descriptor->is_closing;
    if (is_own(op.fd) || is_closing) {
        return complete(op, failure(std::errc::bad_file_descriptor));
    }
    forget(op.fd);
    if (!must_close_later(op.fd)) return finish_close(op);
    descriptors_.find(op.fd)->close = &op;
}

// True if threads of the Offload use the descriptor: the last of them to finish performs the close.
bool EpollPlatform::must_close_later(Fd fd) noexcept {
    Descriptor* descriptor = descriptors_.find(fd);
    if (descriptor == nullptr || descriptor->files.empty()) return false;
    descriptor->is_closing = true;
    return true;
}

void EpollPlatform::finish_close(Hold& close) noexcept {
    // Even an interrupted close has freed the number: a retry could close another descriptor.
    const bool is_closed = ::close(close.fd) == 0 || errno == EINTR;
    complete(close.op(), is_closed ? 0 : -errno);
    release_starved();
}

void EpollPlatform::withdraw(Op& op) noexcept {
    Hold& hold = hold_of(op);
    if (op.code() == IoCode::close) return;  // Not cancelled: the ops it waits for complete soon.
    if (op.code() == IoCode::signal) return finish_signal(static_cast<SignalOp&>(op), cancelled);
    Descriptor* descriptor = descriptors_.find(hold.fd);
    GYRE_ASSERT(descriptor != nullptr, "op %llu (%s) is held without a descriptor",
                static_cast<unsigned long long>(op.id()), name_of(op.code()));
    if (descriptor->is_connecting && descriptor->writes.front() == &hold) {
        descriptor->is_connecting = false;
        abandon_connect(descriptor->fd);
        descriptor->may_write = true;
    }
    finish(hold, cancelled);
    // The ops behind it may never have been tried.
    if (!descriptor->reads.empty() || !descriptor->writes.empty()) resume_later(*descriptor);
}

// Null if the op has been completed with an error, because its number is no open descriptor.
Descriptor* EpollPlatform::descriptor_for(Hold& hold) noexcept {
    const Result<Descriptor*> descriptor =
        is_own(hold.fd) ? std::unexpected(Error(std::errc::bad_file_descriptor))
                        : descriptors_.get(hold.fd);
    if (!descriptor || (*descriptor)->is_closing) {
        const Error error = descriptor ? Error(std::errc::bad_file_descriptor) : descriptor.error();
        complete(hold.op(), error.as_result());
        return nullptr;
    }
    if (hold.op().code() != IoCode::readiness) examine(**descriptor);  // It transfers nothing.
    return *descriptor;
}

void EpollPlatform::finish_all(HoldQueue& holds, std::int32_t result) noexcept {
    while (Hold* hold = holds.front()) finish(*hold, result);
}

void EpollPlatform::forget(Fd fd) noexcept {
    Descriptor* descriptor = descriptors_.find(fd);
    if (descriptor == nullptr) return;
    finish_all(descriptor->reads, cancelled);
    finish_all(descriptor->writes, cancelled);
    finish_all(descriptor->watchers, cancelled);
    withdraw_files(*descriptor);
    if (descriptor->is_registered) --registered_count_;
    descriptor->forget();
}

void EpollPlatform::withdraw_files(Descriptor& descriptor) noexcept {
    descriptor.files.for_each([this](Hold& hold) {
        if (withdraw_offload(hold.op())) finish(hold, cancelled);
    });
}

}  // namespace gyre::platform
