// SPDX-License-Identifier: Apache-2.0
// What a result means: the part of UringPlatform that reads the completion queue.
//
// A request ends with its one result that does not say "more"; one that goes on by itself may end
// with data, for want of buffers or of room for results, and is then made again. A request whose
// result says "cancelled" although nobody asked for it was taken back with the thread that made it,
// and is made again too.
#include <poll.h>

#include <cerrno>
#include <utility>

#include "gyre/platform/internal/system/datagram_calls.hpp"
#include "gyre/platform/internal/system/file_calls.hpp"
#include "gyre/platform/internal/system/io_calls.hpp"
#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/system/pieces_calls.hpp"
#include "gyre/platform/internal/uring/uring.hpp"
#include "gyre/platform/internal/uring/uring_buffers.hpp"
#include "gyre/platform/internal/uring/uring_marks.hpp"
#include "gyre/platform/internal/uring/uring_ring.hpp"

namespace gyre::platform {
namespace {

// The request did nothing, and could be made again.
bool was_interrupted(std::int32_t result) noexcept {
    return result == -ECANCELED || result == -EINTR;
}

// A poll's result is what whoever woke it said, and sockets say "urgent" with everything that
// comes. So who wants to know that must look again; for all others it is something to read.
Events events_in(std::int32_t mask, Fd fd, Events wanted) noexcept {
    if ((mask & POLLPRI) == 0) return events_of_mask(mask);
    const Events events = events_of_mask((mask & ~POLLPRI) | POLLIN);
    if (!any(wanted & Events::priority)) return events;
    return events | ready_events(fd, wanted).value_or(Events::none);
}

}  // namespace

void UringPlatform::on_result(Hold& hold, std::int32_t result, std::uint32_t flags) noexcept {
    Op& op = hold.op();
    const bool only_watches = op.code() == IoCode::poll || op.code() == IoCode::readiness;
    if (!only_watches) descriptor_of(hold).served_in_wait = wait_count_;
    if ((flags & IORING_CQE_F_BUFFER) != 0) {
        const std::uint32_t buffer_id = flags >> IORING_CQE_BUFFER_SHIFT;
        take_received(static_cast<ReceiveRingOp&>(op), result, buffer_id);
    } else if (op.code() == IoCode::readiness && result > 0 && !is_level(hold)) {
        auto& readiness = static_cast<ReadinessOp&>(op);
        readiness.happened = readiness.happened | events_in(result, readiness.fd, readiness.wanted);
        notify(readiness);
    }
    if ((flags & IORING_CQE_F_MORE) != 0) return;
    if (op.code() == IoCode::receive) {
        const bool has_more = (flags & IORING_CQE_F_SOCK_NONEMPTY) != 0;
        descriptor_of(hold).is_drained = can_poll_first_ && result > 0 && !has_more;
    }
    --request_count_;
    unset(hold, is_issued);
    on_last_result(hold, result);
}

void UringPlatform::on_last_result(Hold& hold, std::int32_t result) noexcept {
    UringDescriptor& descriptor = descriptor_of(hold);
    Op& op = hold.op();
    const bool was_polling = has(hold, is_polling);
    unset(hold, is_polling);
    if (!has(hold, is_withdrawn)) {
        if (was_polling) return on_ready(hold, descriptor, result);
        if (result >= 0) return on_done(hold, descriptor, result);
        return on_failed(hold, descriptor, result);
    }
    // What was done in spite of the cancellation is done.
    const bool has_result = result >= 0 ? !was_polling && !op.is_standing()
                                        : !was_interrupted(result) && result != -EAGAIN;
    if (has_result && result >= 0) return on_done(hold, descriptor, result);
    if (!has_result && op.code() == IoCode::connect) abandon_connect(hold.fd);
    finish(hold, has_result && !op.is_standing() ? result : cancelled);
}

// The op can be done now, or the wait for it has failed.
void UringPlatform::on_ready(Hold& hold, UringDescriptor& descriptor, std::int32_t mask) noexcept {
    if (mask < 0 && !was_interrupted(mask)) return finish(hold, mask);
    if (mask >= 0 && hold.op().code() == IoCode::receive_ring) {
        return read_into_ring(static_cast<ReceiveRingOp&>(hold.op()), descriptor);
    }
    if (mask >= 0 && hold.op().code() == IoCode::send_file) {
        return send_file(static_cast<SendFileOp&>(hold.op()), descriptor);
    }
    issue(hold, descriptor);
}

void UringPlatform::on_done(Hold& hold, UringDescriptor& descriptor, std::int32_t result) noexcept {
    Op& op = hold.op();
    switch (io_code(op)) {
        case IoCode::accept:
            static_cast<AcceptOp&>(op).peer = descriptor.accepted_from->to_address();
            note_accepted(result);
            return finish(hold, result);
        case IoCode::path: {
            auto& path = static_cast<PathOp&>(op);
            if (path.is_question()) tell_found(path);
            return finish(hold, result);
        }
        case IoCode::open:
            forget(result);
            return finish(hold, result);
        case IoCode::receive_from:
            descriptor.incoming->tell(static_cast<ReceiveFromOp&>(op));
            return finish(hold, result);
        case IoCode::receive_passed: {
            auto& receive = static_cast<ReceivePassedOp&>(op);
            descriptor.pieces_in->tell(receive);
            note_passed(receive);
            return finish(hold, result);
        }
        case IoCode::send_to:
            if (waits_unseen(static_cast<SendToOp&>(op))) note_means();
            return finish(hold, result);
        case IoCode::poll: {
            // Another op on the descriptor may have taken what came, in the same call.
            auto& poll = static_cast<PollOp&>(op);
            Events events = events_in(result, poll.fd, poll.events);
            if (has_rivals(descriptor) && !has(hold, is_withdrawn)) {
                const Result<Events> now = ready_events(poll.fd, poll.events);
                if (!now) return finish(hold, now.error().as_result());
                if (!any(*now)) return issue(hold, descriptor);
                events = *now;
            }
            return finish(hold, static_cast<std::int32_t>(events));
        }
        case IoCode::readiness:
            if (!is_level(hold)) return issue(hold, descriptor);
            return on_level_result(static_cast<ReadinessOp&>(op), descriptor, result);
        case IoCode::receive_ring:
            return result == 0 ? finish(hold, 0) : issue(hold, descriptor);
        case IoCode::close:
            finish(hold, result);
            return release_starved();
        default:
            return finish(hold, result);
    }
}

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
        ++out_of_buffers_;  // They have all been given back by now.
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
    // A Unix listener with a full backlog: nothing tells when there is room.
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
    // Another op may have taken what came, and of urgent data the system says too much (see
    // events_in): then the look before the next wait will tell.
    const bool is_said_urgent = (mask & LevelWatch::mask_of(op) & POLLPRI) != 0;
    if (has_rivals(descriptor) || is_said_urgent) return levels_.add(op);
    if (LevelWatch::note(op, mask)) notify(op);
    // What got ready before the wait could last may be so again, and is cheaper to look at; what
    // took its time is likely to be quiet first, and the request for it needs no call of its own.
    if (had_results_ || is_of_wait(op, wait_count_)) return levels_.add(op);
    note_wait(op, wait_count_ + 1);
    issue(op, descriptor);
}

// A file that cannot be polled is always ready: what is told now stays true.
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

// Where the system does not choose the buffer: a few reads, as many as another op gets.
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

// Where the other side has no room, a request waits for that.
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

// Likewise.
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
