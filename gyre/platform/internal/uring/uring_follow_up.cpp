// SPDX-License-Identifier: Apache-2.0
// Results of io_uring that need more than the completion of the op: failures that are retried,
// level ops, receives into rings, and sends that are made by a plain system call.
#include <poll.h>

#include <cerrno>
#include <utility>

#include "gyre/platform/internal/system/datagram_calls.hpp"
#include "gyre/platform/internal/system/io_calls.hpp"
#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/system/pieces_calls.hpp"
#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_buffers.hpp"
#include "gyre/platform/internal/uring/uring_marks.hpp"
#include "gyre/platform/internal/uring/uring_ring.hpp"

namespace gyre::platform {

void UringPlatform::on_failed(Hold& hold, UringDescriptor& descriptor,
                              std::int32_t result) noexcept {
    const OpCode code = hold.op().code();
    const bool is_stream_op =
        code == IoCode::receive || code == IoCode::send || code == IoCode::receive_ring;
    if (was_interrupted(result)) {
        // Even an interrupted close has freed the number.
        if (code == IoCode::close) return on_done(hold, descriptor, 0);
        return issue(hold, descriptor);
    }
    if (code == IoCode::path && result == -EISDIR) {
        auto& path = static_cast<PathOp&>(hold.op());
        const bool is_removal = path.verb == PathOp::Verb::remove;
        if (is_removal && !std::exchange(path.is_folder, true)) return issue(hold, descriptor);
    }
    if (result == -ENOTSOCK && is_stream_op && descriptor.is_socket) {
        descriptor.is_socket = false;
        return issue(hold, descriptor);
    }
    if (code == IoCode::receive_ring && result == -ENOBUFS) {
        ++out_of_buffers_;  // They have all been returned by now.
        return issue(hold, descriptor);
    }
    if (code == IoCode::receive_ring && result == -EINVAL && has_multishot_receive_) {
        has_multishot_receive_ = false;
        return issue(hold, descriptor);
    }
    if (code == IoCode::accept && lacks_resources(-result)) return starve(descriptor, hold);
    if (code == IoCode::accept && concerns_one_connection(-result)) {
        return issue(hold, descriptor);
    }
    // A Unix listener with a full backlog: no event reports when there is room.
    if (code == IoCode::connect && result == -EAGAIN) return starve(descriptor, hold);
    const bool is_unseen =
        code == IoCode::send_to && waits_unseen(static_cast<SendToOp&>(hold.op()));
    if (is_unseen && result == -EAGAIN) return starve(descriptor, hold);
    if (result == -EAGAIN || (code == IoCode::connect && result == -EALREADY)) {
        set(hold, must_poll);
        return issue(hold, descriptor);
    }
    const bool cannot_be_polled = result == -EINVAL || result == -EPERM || result == -EBADFD;
    if (code == IoCode::readiness && cannot_be_polled) {
        return on_not_pollable(static_cast<ReadinessOp&>(hold.op()));
    }
    finish(hold, result);
}

bool UringPlatform::has_rivals(const UringDescriptor& descriptor) const noexcept {
    return !descriptor.reads.empty() || !descriptor.writes.empty() ||
           descriptor.served_in_wait == wait_count_;
}

void UringPlatform::on_level_result(ReadinessOp& op, UringDescriptor& descriptor,
                                    std::int32_t mask) noexcept {
    // Another op may have consumed the data, and POLLPRI may be spurious (see events_in): then the
    // poll before the next wait decides.
    const bool is_said_urgent = (mask & LevelWatch::mask_of(op) & POLLPRI) != 0;
    if (has_rivals(descriptor) || is_said_urgent) return levels_.add(op);
    if (LevelWatch::note(op, mask)) notify(op);
    // A descriptor that became ready before the wait could block is likely to be ready again, and
    // cheaper to poll. One that took longer is likely to be idle first, and its request is
    // submitted with the next wait anyway.
    if (had_results_ || is_of_wait(op, wait_count_)) return levels_.add(op);
    note_wait(op, wait_count_ + 1);
    issue(op, descriptor);
}

// A file that cannot be polled is always ready: the events reported now stay valid.
void UringPlatform::on_not_pollable(ReadinessOp& op) noexcept {
    const Result<Events> ready = ready_events(op.fd, op.wanted);
    if (!ready) return finish(op, ready.error().as_result());
    set(op, is_always_ready);
    if (op.is_level()) return levels_.add(op);
    if (!any(*ready)) return;
    op.happened = op.happened | *ready;
    notify(op);
}

void UringPlatform::take_received(ReceiveRingOp& op, std::int32_t result,
                                  std::uint32_t buffer_id) noexcept {
    if (result > 0) {
        const auto size = static_cast<std::size_t>(result);
        count_received(op, size, op.ring->write(buffers_->filled(buffer_id, size), op.overflow));
        notify(op);
    }
    buffers_->give_back(buffer_id);
}

// If there are no provided buffers: a few reads, as many as another op gets.
void UringPlatform::read_into_ring(ReceiveRingOp& op, UringDescriptor& descriptor) noexcept {
    Descriptor attempted;
    attempted.fd = op.fd;
    examine(attempted);
    const std::uint64_t before = op.stats.received_bytes;
    const Attempt attempt = try_receive_ring(op, attempted, buffers_->scratch());
    if (op.stats.received_bytes != before) notify(op);
    if (attempt.outcome == Attempt::Outcome::done) return finish(op, attempt.result);
    set(op, must_poll);
    issue(op, descriptor);
}

// Sends by a plain call. If the socket has no room, a poll request waits for it.
void UringPlatform::send_alone(SendOp& op, UringDescriptor& descriptor) noexcept {
    Descriptor attempted;
    attempted.fd = op.fd;
    attempted.kind = Descriptor::Kind::stream;
    descriptor.served_in_wait = wait_count_;
    const Attempt attempt = try_send(op, attempted);
    if (attempt.outcome != Attempt::Outcome::done) return issue(op, descriptor);
    if (attempt.result < 0) return on_failed(op, descriptor, attempt.result);
    finish(op, attempt.result);
}

// Sends by sendfile. If the socket has no room, a poll request waits for it.
void UringPlatform::send_file(SendFileOp& op, UringDescriptor& descriptor) noexcept {
    Descriptor attempted;
    attempted.fd = op.fd;
    attempted.is_non_blocking = descriptor.is_non_blocking;
    descriptor.served_in_wait = wait_count_;
    const Attempt attempt = try_send_file(op, attempted);
    descriptor.is_non_blocking = attempted.is_non_blocking;
    if (attempt.outcome == Attempt::Outcome::done) return finish(op, attempt.result);
    issue(op, descriptor);
}

}  // namespace gyre::platform
