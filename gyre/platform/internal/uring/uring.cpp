// SPDX-License-Identifier: Apache-2.0
// UringPlatform from its set-up to the completion of an op: wait, read results, finish.
//
// A request ends with its one result without IORING_CQE_F_MORE. A multishot request may end with
// data, if there was no provided buffer or no room for results, and is then submitted again. A
// request that was cancelled although no op asked for it was submitted by a thread that has exited,
// and is submitted again too.
#include "gyre/platform/internal/uring/uring.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "gyre/platform/internal/system/datagram_calls.hpp"
#include "gyre/platform/internal/system/file_calls.hpp"
#include "gyre/platform/internal/system/io_calls.hpp"
#include "gyre/platform/internal/uring/uring_buffers.hpp"
#include "gyre/platform/internal/uring/uring_edges.hpp"
#include "gyre/platform/internal/uring/uring_marks.hpp"
#include "gyre/platform/internal/uring/uring_ring.hpp"
#include "gyre/platform/process.hpp"

namespace gyre::platform {
namespace {

// Further results stay in the queue for the next wait, after the machines have run.
constexpr unsigned results_per_wait_max = 256;

// While there is other work, level ops are polled no more often than this: a poll is a system call.
constexpr Duration look_interval_min = std::chrono::microseconds(20);

// Sockets wake a poll with POLLPRI whatever arrives. An op that wants urgent data polls again; for
// all others the event counts as readable.
Events events_in(std::int32_t mask, Fd fd, Events wanted) noexcept {
    if ((mask & POLLPRI) == 0) return events_of_mask(mask);
    const Events events = events_of_mask((mask & ~POLLPRI) | POLLIN);
    if (!any(wanted & Events::priority)) return events;
    return events | ready_events(fd, wanted).value_or(Events::none);
}

}  // namespace

// ---- Set-up and wake ----

UringPlatform::UringPlatform(Clock& clock, const UringOptions& options,
                             std::unique_ptr<UringRing> ring, std::unique_ptr<UringEdges> edges)
    : RealPlatform("uring", clock),
      options_(options),
      ring_(std::move(ring)),
      edges_(std::move(edges)),
      has_file_requests_(options.has_file_requests && ring_->can(IORING_OP_OPENAT) &&
                         ring_->can(IORING_OP_FSYNC)),
      has_path_requests_(has_file_requests_ && ring_->can(IORING_OP_STATX) &&
                         ring_->can(IORING_OP_LINKAT)),  // the latest of them, since Linux 5.15
      has_resize_requests_(has_file_requests_ && ring_->can(uring_operation_resize)),
      can_poll_first_(ring_->has_cooperative_setup()),
      has_multishot_receive_(options.has_provided_buffers) {}

UringPlatform::~UringPlatform() = default;

Result<std::unique_ptr<UringPlatform>> UringPlatform::make(Clock& clock,
                                                           UringOptions options) noexcept {
    if (const int status = watch_forks(); status != 0) {
        return std::unexpected(Error(static_cast<std::errc>(status)));
    }
    try {
        Result<std::unique_ptr<UringRing>> ring = UringRing::make(options);
        if (!ring) return std::unexpected(ring.error());
        Result<std::unique_ptr<UringEdges>> edges = UringEdges::make();
        if (!edges) return std::unexpected(edges.error());
        std::unique_ptr<UringPlatform> platform(
            new UringPlatform(clock, options, std::move(*ring), std::move(*edges)));
        if (const std::int32_t status = platform->wake_fd_status(); status < 0) {
            return std::unexpected(Error::of_result(status));
        }
        return platform;
    } catch (const std::bad_alloc&) {
        return std::unexpected(Error(std::errc::not_enough_memory));
    }
}

std::uint64_t UringPlatform::system_call_count() const noexcept {
    return ring_->system_call_count();
}

std::uint64_t UringPlatform::full_count() const noexcept {
    return ring_->full_count();
}

std::uint64_t UringPlatform::overflow_count() const noexcept {
    return ring_->overflow_count();
}

bool UringPlatform::is_own(Fd fd) const noexcept {
    return fd == ring_->fd() || fd == wake_fd_.get() || fd == edges_->fd();
}

// A request that the system does not have yet would find the number closed, or reused. A cancelled
// request keeps the descriptor open until the system has processed the cancellation.
void UringPlatform::on_closing_now() noexcept {
    ring_->submit();
}

int UringPlatform::backend_fd() const noexcept {
    return ring_->fd();
}

// Level ops are not polled until the next wait, so the ring must report them; and a wake, also
// before the first wait.
void UringPlatform::flush() noexcept {
    listen();
    if (has_edges_left_) wake();
    levels_.release(*this);
    ring_->submit();
}

void UringPlatform::listen() noexcept {
    if (!is_listening_) listen_for_wakes();
    if (has_edge_ops_ && !is_listening_for_edges_) listen_for_edges();
}

// A multishot poll that reports each write, whatever the counter, so the eventfd is never read.
void UringPlatform::listen_for_wakes() noexcept {
    io_uring_sqe* entry = ring_->next_entry();
    if (entry == nullptr) return;
    io_uring_prep_poll_multishot(entry, wake_fd_.get(), POLLIN);
    io_uring_sqe_set_data64(entry, static_cast<std::uint64_t>(UringTag::wake));
    is_listening_ = true;
}

// ---- Wait and results ----

Instant UringPlatform::wait(Instant deadline) noexcept {
    check_process();
    const Watchdog::Rest rest(watchdog_.get());
    ++wait_count_;
    had_results_ = ring_->has_results() || has_edges_left_;
    listen();
    const bool may_block = deadline > last_now_ && !has_edges_left_;
    Instant now;
    if (may_block && !levels_.look(*this, {.is_another_ready = had_results_})) {
        const WaitMask::Applied mask(wait_mask_);
        ring_->submit_and_wait(time_until(std::min(deadline, retry_at_)));
        now = clock_.now();
    } else {
        now = clock_.now();
        if (!may_block && now - last_look_ >= look_interval_min) {
            (void)levels_.look(*this);
            last_look_ = now;
        }
        ring_->submit();
    }
    take_results();
    if (now >= retry_at_) release_starved();
    last_now_ = std::max(last_now_, now);  // As in the loop: a clock may go back.
    return now;
}

void UringPlatform::take_results() noexcept {
    const unsigned count = std::min(ring_->result_count(), results_per_wait_max);
    bool is_woken = false;
    bool has_edges = has_edges_left_;
    for (unsigned i = 0; i < count; ++i) {
        const io_uring_cqe entry = ring_->pop_result();
        switch (static_cast<UringTag>(entry.user_data & uring_tag_mask)) {
            case UringTag::op:
                on_result(hold_of_user_data(entry.user_data), entry.res, entry.flags);
                break;
            case UringTag::wake:
                // The poll ends when the thread that submitted it exits, and when the completion
                // queue was full.
                if ((entry.flags & IORING_CQE_F_MORE) == 0) is_listening_ = false;
                is_woken = true;
                break;
            case UringTag::edges:
                if ((entry.flags & IORING_CQE_F_MORE) == 0) is_listening_for_edges_ = false;
                has_edges = true;
                break;
            case UringTag::cancel:
                break;  // The result of the cancelled request says how it ended.
        }
    }
    if (has_edges) take_edges();
    if (is_woken) deliver_signals();  // After the I/O that came before them.
}

void UringPlatform::on_result(Hold& hold, std::int32_t result, std::uint32_t flags) noexcept {
    Op& op = hold.op();
    const bool only_watches = op.code() == IoCode::poll || op.code() == IoCode::readiness;
    if (!only_watches) descriptor_of(hold).served_in_wait = wait_count_;
    if ((flags & IORING_CQE_F_BUFFER) != 0) {
        const std::uint32_t buffer_id = flags >> IORING_CQE_BUFFER_SHIFT;
        take_received(static_cast<ReceiveRingOp&>(op), result, buffer_id);
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
    // A result that precedes the cancellation is kept.
    const bool has_result = result >= 0 ? !was_polling && !op.is_standing()
                                        : !was_interrupted(result) && result != -EAGAIN;
    if (has_result && result >= 0) return on_done(hold, descriptor, result);
    if (!has_result && op.code() == IoCode::connect) abandon_connect(hold.fd);
    finish(hold, has_result && !op.is_standing() ? result : cancelled);
}

// The op can be tried now, or its poll has failed.
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
            note_done(op, result);
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
        case IoCode::receive_passed:
            descriptor.pieces_in->tell(static_cast<ReceivePassedOp&>(op));
            note_done(op, result);
            return finish(hold, result);
        case IoCode::send_to:
            note_done(op, result);
            return finish(hold, result);
        case IoCode::poll: {
            // Another op on the descriptor may have consumed the data in the same call.
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

void UringPlatform::finish(Hold& hold, std::int32_t result) noexcept {
    Op& op = hold.op();
    UringDescriptor& descriptor = descriptor_of(hold);
    if (op.code() == IoCode::readiness) {
        LevelWatch::remove(static_cast<ReadinessOp&>(op));
        leave_edges(hold, descriptor);
    }
    if (op.code() == IoCode::close) {
        descriptor.is_closing = false;
        descriptor.has_offsets = false;
        descriptor.is_non_blocking = false;
    }
    links_of(hold).unlink();
    complete(op, result);
    advance(descriptor);
}

// Starts the first op on each side, and the close if no op is left.
void UringPlatform::advance(UringDescriptor& descriptor) noexcept {
    for (HoldQueue* list : {&descriptor.reads, &descriptor.writes}) {
        Hold* first = list->front();
        if (first == nullptr || has(*first, is_issued)) continue;
        if (descriptor.is_starved() && may_starve(first->op().code())) continue;
        issue(*first, descriptor);
    }
    Hold* close = descriptor.closes.front();
    if (close == nullptr || has(*close, is_issued)) return;
    if (!descriptor.reads.empty() || !descriptor.writes.empty() || !descriptor.others.empty()) {
        return;
    }
    issue(*close, descriptor);
}

UringDescriptor& UringPlatform::descriptor_of(const Hold& hold) noexcept {
    if (hold.fd < 0) return nameless_;  // Other ops without a descriptor were refused.
    UringDescriptor* descriptor = descriptors_.find(hold.fd);
    GYRE_ASSERT(descriptor != nullptr, "op %llu (%s) is held without a descriptor",
                static_cast<unsigned long long>(hold.op().id()), name_of(hold.op().code()));
    return *descriptor;
}

}  // namespace gyre::platform
