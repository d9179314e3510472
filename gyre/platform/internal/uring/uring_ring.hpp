// SPDX-License-Identifier: Apache-2.0
// UringRing: the pair of queues shared with the system, and the features of this system's io_uring.
// It moves entries in and out and does not interpret them. One thread at a time; part of a
// UringPlatform.
#pragma once

#include <liburing.h>

#include <cerrno>
#include <cstdint>
#include <memory>

#include "gyre/base/result.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/platform/internal/system/system_call.hpp"
#include "gyre/platform/internal/uring/uring.hpp"

namespace gyre::platform {

// IORING_OP_FTRUNCATE, since Linux 6.9: liburing's headers may be older than the system.
inline constexpr int uring_operation_resize = 55;

class UringRing {
public:
    // An error if the system refuses or is too old; all resources are released then.
    [[nodiscard]] static Result<std::unique_ptr<UringRing>> make(const UringOptions& options);
    ~UringRing();
    UringRing(const UringRing&) = delete;
    UringRing& operator=(const UringRing&) = delete;

    [[nodiscard]] io_uring& system() noexcept { return ring_; }
    [[nodiscard]] Fd fd() const noexcept { return ring_.ring_fd; }
    // Whether completion work waits for the loop's own system calls; a system with that feature
    // (Linux 5.19) also reports whether a socket has more data (IORING_CQE_F_SOCK_NONEMPTY).
    [[nodiscard]] bool has_cooperative_setup() const noexcept {
        return (ring_.flags & (IORING_SETUP_COOP_TASKRUN | IORING_SETUP_DEFER_TASKRUN)) != 0;
    }
    [[nodiscard]] bool can(int operation) const noexcept;

    // A submission queue entry. If the queue is full, it is submitted first; null if the system
    // accepts nothing now.
    [[nodiscard]] io_uring_sqe* next_entry() noexcept;

    // Whether the submission queue is empty.
    [[nodiscard]] bool is_empty() const noexcept { return io_uring_sq_ready(&ring_) == 0; }

    // Submits all entries and lets the system post results that it has held back. No system call if
    // there is neither.
    void submit() noexcept;
    // Like `submit`, and blocks until there is a result or the timeout has passed.
    void submit_and_wait(Duration timeout) noexcept {
        if (!is_enabled_) enable();
        ++system_call_count_;
        io_uring_cqe* first = nullptr;
        __kernel_timespec limit = to_timespec<__kernel_timespec>(timeout);
        const int status = io_uring_submit_and_wait_timeout(
            &ring_, &first, 1, timeout == no_timeout ? nullptr : &limit, nullptr);
        if (status < 0 && status != -ETIME) check(status);
    }
    static constexpr Duration no_timeout = Duration::max();

    // Whether a wait would return at once.
    [[nodiscard]] bool has_results() noexcept {
        return io_uring_cq_ready(&ring_) > 0 || (flags() & has_more) != 0;
    }

    [[nodiscard]] unsigned result_count() const noexcept { return io_uring_cq_ready(&ring_); }
    // Removes and returns the oldest result. It is removed at once since the caller may enter the
    // system, which may need the room. Requires has_results().
    [[nodiscard]] io_uring_cqe pop_result() noexcept {
        const io_uring_cqe& entry = ring_.cq.cqes[*ring_.cq.khead & ring_.cq.ring_mask];
        const io_uring_cqe result{
            .user_data = entry.user_data, .res = entry.res, .flags = entry.flags};
        io_uring_cq_advance(&ring_, 1);
        return result;
    }

    // For tests and reports.
    [[nodiscard]] std::uint64_t system_call_count() const noexcept { return system_call_count_; }
    [[nodiscard]] std::uint64_t full_count() const noexcept { return full_count_; }
    [[nodiscard]] std::uint64_t overflow_count() const noexcept { return overflow_count_; }

private:
    struct ProbeFree {
        void operator()(io_uring_probe* probe) const noexcept { io_uring_free_probe(probe); }
    };

    // Flags that say that the system will post more results when it is entered.
    static constexpr unsigned has_more = IORING_SQ_CQ_OVERFLOW | IORING_SQ_TASKRUN;

    UringRing() noexcept = default;
    [[nodiscard]] std::int32_t set_up(const UringOptions& options) noexcept;
    [[nodiscard]] std::int32_t check_features() noexcept;
    void enable() noexcept;
    void check(int status) noexcept;
    [[nodiscard]] unsigned flags() noexcept;

    io_uring ring_{};
    std::unique_ptr<io_uring_probe, ProbeFree> probe_;
    std::uint64_t system_call_count_ = 0;
    std::uint64_t full_count_ = 0;
    std::uint64_t overflow_count_ = 0;
    bool is_made_ = false;
    bool is_enabled_ = true;
};

}  // namespace gyre::platform
