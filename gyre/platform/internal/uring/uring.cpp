// SPDX-License-Identifier: Apache-2.0
// Set-up, wait and wake of UringPlatform.
#include "gyre/platform/internal/uring/uring.hpp"

#include <poll.h>

#include <algorithm>
#include <new>

#include "gyre/platform/fork_watch.hpp"
#include "gyre/platform/internal/uring/uring_buffers.hpp"
#include "gyre/platform/internal/uring/uring_marks.hpp"
#include "gyre/platform/internal/uring/uring_ring.hpp"

namespace gyre::platform {
namespace {

// What comes in one wait at most: the rest is there for the next one, after the machines' turn.
constexpr unsigned results_per_wait_max = 256;

// While there is other work, levels are looked at no more often: a look is a system call.
constexpr Duration look_interval_min = std::chrono::microseconds(20);

}  // namespace

UringPlatform::UringPlatform(Clock& clock, const UringOptions& options,
                             std::unique_ptr<UringRing> ring)
    : RealPlatform("uring", clock),
      options_(options),
      ring_(std::move(ring)),
      has_file_requests_(options.has_file_requests && ring_->can(IORING_OP_OPENAT) &&
                         ring_->can(IORING_OP_FSYNC)),
      has_path_requests_(has_file_requests_ && ring_->can(IORING_OP_STATX) &&
                         ring_->can(IORING_OP_LINKAT)),  // the last to come, with Linux 5.15
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
        std::unique_ptr<UringPlatform> platform(
            new UringPlatform(clock, options, std::move(*ring)));
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
    return fd == ring_->fd() || fd == wake_fd_.get();
}

int UringPlatform::backend_fd() const noexcept {
    return ring_->fd();
}

// Nobody looks at levels until the next wait, so they are the ring's to tell.
void UringPlatform::flush() noexcept {
    levels_.release(*this);
    ring_->submit();
}

// The poll goes on by itself and tells each write, whatever the count, so that it is never read.
void UringPlatform::listen_for_wakes() noexcept {
    io_uring_sqe* entry = ring_->next_entry();
    if (entry == nullptr) return;
    io_uring_prep_poll_multishot(entry, wake_fd_.get(), POLLIN);
    io_uring_sqe_set_data64(entry, static_cast<std::uint64_t>(UringTag::wake));
    is_listening_ = true;
}

Instant UringPlatform::wait(Instant deadline) noexcept {
    check_process();
    const Watchdog::Rest rest(watchdog_.get());
    ++wait_count_;
    had_results_ = ring_->has_results();
    if (!is_listening_) listen_for_wakes();
    const bool may_block = deadline > last_now_;
    Instant now;
    if (may_block && !levels_.look(*this, {.is_another_ready = had_results_})) {
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
    last_now_ = std::max(last_now_, now);  // As the loop does: a clock may go back.
    return now;
}

void UringPlatform::take_results() noexcept {
    ring_->take_results(results_per_wait_max, [this](std::uint64_t user_data, std::int32_t result,
                                                     std::uint32_t flags) {
        switch (static_cast<UringTag>(user_data & uring_tag_mask)) {
            case UringTag::op:
                return on_result(hold_of_user_data(user_data), result, flags);
            case UringTag::wake:
                // It ends with the thread that asked for it, or when results had no room.
                if ((flags & IORING_CQE_F_MORE) == 0) is_listening_ = false;
                return deliver_signals();
            case UringTag::cancel:
                return;  // What came of it, the result of the cancelled request says.
        }
    });
}

// A cancelled request keeps the descriptor open until the system has seen the cancellation.
void UringPlatform::on_closed_now() noexcept {
    ring_->submit();
}

}  // namespace gyre::platform
