// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/uring/uring_ring.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "gyre/base/assert.hpp"
#include "gyre/base/log.hpp"

namespace gyre::platform {
namespace {

// Required features: no result is ever dropped, a wait has its own timeout, sockets are polled
// without a thread, and multishot poll (Linux 5.13).
constexpr unsigned features_needed = IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG |
                                     IORING_FEAT_FAST_POLL | IORING_FEAT_SUBMIT_STABLE |
                                     IORING_FEAT_RSRC_TAGS;
constexpr std::array operations_needed = {
    IORING_OP_POLL_ADD, IORING_OP_ACCEPT, IORING_OP_CONNECT, IORING_OP_RECV,
    IORING_OP_SEND,     IORING_OP_READ,   IORING_OP_WRITE,   IORING_OP_ASYNC_CANCEL,
};

// Completion work waits for the next system call of the loop's thread instead of interrupting it. A
// flag in shared memory says that there is some, which saves the call that would find none.
constexpr unsigned cooperative = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
// The ring stays disabled until the thread that turns the loop is known.
constexpr unsigned deferred = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                              IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_R_DISABLED;

// From the best setup to one that every system supports.
std::array<unsigned, 4> setups_for(UringOptions::TaskRunning wanted) noexcept {
    const bool is_deferred = wanted == UringOptions::TaskRunning::deferred;
    const unsigned base = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
    return {base | IORING_SETUP_SUBMIT_ALL | (is_deferred ? deferred : cooperative),
            base | IORING_SETUP_SUBMIT_ALL | cooperative, base | IORING_SETUP_SUBMIT_ALL, base};
}

// liburing maps and unmaps memory by calls that the thread sanitizer does not see, so that two
// rings that had the same address one after the other look like one. The mutex orders the end of a
// ring before the start of the next.
constinit std::mutex mapping_mutex;

}  // namespace

Result<std::unique_ptr<UringRing>> UringRing::make(const UringOptions& options) {
    std::unique_ptr<UringRing> ring(new UringRing);
    if (const std::int32_t status = ring->set_up(options); status < 0) {
        return std::unexpected(Error::of_result(status));
    }
    return ring;
}

UringRing::~UringRing() {
    const std::lock_guard lock(mapping_mutex);
    if (is_made_) io_uring_queue_exit(&ring_);
}

std::int32_t UringRing::set_up(const UringOptions& options) noexcept {
    const std::lock_guard lock(mapping_mutex);
    std::int32_t status = 0;
    for (const unsigned flags : setups_for(options.task_running)) {
        io_uring_params params{};
        params.flags = flags;
        params.cq_entries = std::max(options.completion_count, options.submission_count);
        status = io_uring_queue_init_params(options.submission_count, &ring_, &params);
        if (status != -EINVAL) break;
    }
    if (status < 0) return status;
    is_made_ = true;
    is_enabled_ = (ring_.flags & IORING_SETUP_R_DISABLED) == 0;
    return check_features();
}

std::int32_t UringRing::check_features() noexcept {
    constexpr std::int32_t too_old = failure(std::errc::function_not_supported);
    if ((ring_.features & features_needed) != features_needed) return too_old;
    probe_.reset(io_uring_get_probe_ring(&ring_));
    if (probe_ == nullptr) return too_old;
    for (const int operation : operations_needed) {
        if (!can(operation)) return too_old;
    }
    return 0;
}

bool UringRing::can(int operation) const noexcept {
    return io_uring_opcode_supported(probe_.get(), operation) != 0;
}

io_uring_sqe* UringRing::next_entry() noexcept {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    if (entry != nullptr) return entry;
    ++full_count_;
    submit();
    return io_uring_get_sqe(&ring_);
}

unsigned UringRing::flags() noexcept {
    const unsigned flags = IO_URING_READ_ONCE(*ring_.sq.kflags);
    if ((flags & IORING_SQ_CQ_OVERFLOW) != 0) ++overflow_count_;
    return flags;
}

void UringRing::submit() noexcept {
    const bool must_enter = io_uring_sq_ready(&ring_) > 0 || (flags() & has_more) != 0;
    if (!must_enter) return;
    if (!is_enabled_) enable();
    ++system_call_count_;
    check(io_uring_submit_and_get_events(&ring_));
}

void UringRing::enable() noexcept {
    is_enabled_ = true;
    // Some builds of liburing lack its function for this.
    check(io_uring_register(static_cast<unsigned>(fd()), IORING_REGISTER_ENABLE_RINGS, nullptr, 0));
}

// A call that was interrupted, timed out, or failed for lack of resources is repeated in the next
// turn: entries that it did not take are still in the queue.
void UringRing::check(int status) noexcept {
    if (status >= 0) return;
    switch (-status) {
        case ETIME:
        case EINTR:
        case EAGAIN:
        case EBUSY:
        case ENOMEM:
            return;
        default:
            break;
    }
    GYRE_ASSERT(status != -EEXIST,
                "a loop with deferred task running has moved to another thread: turn and close it "
                "on one thread, or choose cooperative task running");
    GYRE_ASSERT(false, "io_uring failed, and the loop cannot go on: %s", std::strerror(-status));
}

}  // namespace gyre::platform
