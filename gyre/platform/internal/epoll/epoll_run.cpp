// SPDX-License-Identifier: Apache-2.0
// The part of EpollPlatform that tries the ops of a descriptor when it may have become ready: side
// by side, in their order, a few in one go.
#include <new>

#include "gyre/platform/internal/epoll/epoll.hpp"
#include "gyre/platform/internal/holds.hpp"
#include "gyre/platform/internal/system/datagram_calls.hpp"
#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/system/pieces_calls.hpp"

namespace gyre::platform {
namespace {

// The side that time will tell of, not edges.
bool is_held_up(const Descriptor& descriptor, HoldQueue& side) noexcept {
    return descriptor.is_starved() && may_starve(side.front()->op().code());
}

}  // namespace

void EpollPlatform::run_reads(Descriptor& descriptor) noexcept {
    if (descriptor.reads.empty() || is_held_up(descriptor, descriptor.reads)) return;
    run_side(descriptor, descriptor.reads);
}

void EpollPlatform::run_writes(Descriptor& descriptor) noexcept {
    if (descriptor.writes.empty() || is_held_up(descriptor, descriptor.writes)) return;
    run_side(descriptor, descriptor.writes);
}

void EpollPlatform::run_side(Descriptor& descriptor, HoldQueue& side) noexcept {
    for (int i = 0; i < attempts_per_run_max; ++i) {
        Hold* hold = side.front();
        if (hold == nullptr) return;
        const Attempt attempted = attempt(*hold, descriptor);
        switch (attempted.outcome) {
            case Attempt::Outcome::done:
                finish(*hold, attempted.result);
                break;
            case Attempt::Outcome::blocked: {
                const std::int32_t status = ensure_registered(descriptor);
                if (status == 0) return;
                finish(*hold, status);
                break;
            }
            case Attempt::Outcome::starved:
                return starve(descriptor, *hold);
            case Attempt::Outcome::again:
                return resume_later(descriptor);
        }
    }
    if (!side.empty()) resume_later(descriptor);
}

Attempt EpollPlatform::attempt(Hold& hold, Descriptor& descriptor) noexcept {
    Op& op = hold.op();
    switch (io_code(op)) {
        case IoCode::accept: {
            const Attempt accepted = try_accept(static_cast<AcceptOp&>(op), descriptor);
            if (accepted.outcome == Attempt::Outcome::done && accepted.result >= 0) {
                note_accepted(accepted.result);
            }
            return accepted;
        }
        case IoCode::connect:
            return try_connect(static_cast<ConnectOp&>(op), descriptor);
        case IoCode::receive:
            return try_receive(static_cast<ReceiveOp&>(op), descriptor);
        case IoCode::send:
            return try_send(static_cast<SendOp&>(op), descriptor);
        case IoCode::receive_from:
            return try_receive_from(static_cast<ReceiveFromOp&>(op), descriptor);
        case IoCode::send_to: {
            auto& send = static_cast<SendToOp&>(op);
            const Attempt sent = try_send_to(send, descriptor);
            const bool is_done = sent.outcome == Attempt::Outcome::done;
            if (is_done && waits_unseen(send)) note_means();
            return sent;
        }
        case IoCode::send_pieces:
            return try_send_pieces(static_cast<SendPiecesOp&>(op), descriptor);
        case IoCode::send_file:
            return try_send_file(static_cast<SendFileOp&>(op), descriptor);
        case IoCode::receive_passed: {
            auto& receive = static_cast<ReceivePassedOp&>(op);
            const Attempt received = try_receive_passed(receive, descriptor);
            if (received.outcome == Attempt::Outcome::done) note_passed(receive);
            return received;
        }
        case IoCode::receive_ring:
            return attempt_ring(static_cast<ReceiveRingOp&>(op), descriptor);
        default:
            return Attempt::done(failure(std::errc::function_not_supported));
    }
}

Attempt EpollPlatform::attempt_ring(ReceiveRingOp& op, Descriptor& descriptor) noexcept {
    if (scratch_ == nullptr) scratch_.reset(new (std::nothrow) std::byte[scratch_size_bytes]);
    if (scratch_ == nullptr) return Attempt::done(failure(std::errc::not_enough_memory));
    const std::uint64_t before = op.stats.received_bytes;
    const Attempt attempted =
        try_receive_ring(op, descriptor, Bytes(scratch_.get(), scratch_size_bytes));
    if (op.stats.received_bytes != before) notify(op);
    return attempted;
}

void EpollPlatform::run_watchers(Descriptor& descriptor, Events events, int mask) noexcept {
    descriptor.watchers.for_each([&](Hold& hold) {
        Op& op = hold.op();
        if (op.code() == IoCode::readiness) {
            auto& readiness = static_cast<ReadinessOp&>(op);
            if (readiness.is_level()) return run_level(readiness, descriptor, mask);
            const Events happened = events & (readiness.wanted | Events::hang_up | Events::error);
            if (!any(happened)) return;
            readiness.happened = readiness.happened | happened;
            notify(readiness);
            return;
        }
        auto& poll = static_cast<PollOp&>(op);
        const Result<Events> ready = ready_events(poll.fd, poll.events);
        if (!ready) {
            finish(hold, ready.error().as_result());
        } else if (any(*ready)) {
            finish(hold, static_cast<std::int32_t>(*ready));
        }
    });
}

void EpollPlatform::run_level(ReadinessOp& op, const Descriptor& descriptor, int mask) noexcept {
    if (!descriptor.is_level || is_busy_) levels_.add(op);
    if (LevelWatch::note(op, mask)) notify(op);
}

void EpollPlatform::resume(WatchedDescriptor& watched) noexcept {
    auto& descriptor = static_cast<Descriptor&>(watched);
    if (descriptor.may_read) run_reads(descriptor);
    if (descriptor.may_write) run_writes(descriptor);
}

}  // namespace gyre::platform
