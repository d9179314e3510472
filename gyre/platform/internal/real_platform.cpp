// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/real_platform.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "gyre/base/log.hpp"
#include "gyre/platform/internal/holds.hpp"
#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/process.hpp"

namespace gyre::platform {

RealPlatform::RealPlatform(const char* name, Clock& clock)
    : Platform(name),
      clock_(clock),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      signals_(wake_fd_.get()),
      process_generation_(process_generation()),
      sockets_(*this),
      retry_delay_(retry_delay_min) {}

void RealPlatform::check_process() const noexcept {
    GYRE_ASSERT(process_generation_ == process_generation(),
                "this loop was made before fork() and shares its descriptors with the parent: "
                "make the loop after the fork, in the process that turns it");
}

Result<void> RealPlatform::block_in_wait(int signal_number) noexcept {
    const std::int32_t status = wait_mask_.add(signal_number);
    if (status < 0) return std::unexpected(Error::of_result(status));
    return {};
}

// Each new descriptor gets the number of the one that it replaces, so nothing else has to change.
// The watchdog's thread is not here: its object is leaked.
Result<void> RealPlatform::renew_after_fork() noexcept {
    if (process_generation_ == process_generation()) return {};
    (void)watchdog_.release();
    const OwnFd fresh(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (fresh.status() < 0) return std::unexpected(Error::of_result(fresh.status()));
    if (::dup3(fresh.get(), wake_fd_.get(), O_CLOEXEC) < 0) {
        return std::unexpected(Error::of_result(-errno));
    }
    signals_.renew_after_fork();
    if (const std::int32_t status = renew_system(); status < 0) {
        return std::unexpected(Error::of_result(status));
    }
    process_generation_ = process_generation();
    return {};
}

// One write ends the wait in progress, or the next one.
void RealPlatform::wake() noexcept {
    const std::uint64_t one = 1;
    while (::write(wake_fd_.get(), &one, sizeof one) < 0 && errno == EINTR) {
    }
}

void RealPlatform::OwnSockets::close_now(Fd fd) noexcept {
    if (platform_.is_own(fd)) return;
    forget(fd);
    if (platform_.must_close_later(fd)) return;
    platform_.on_closing_now();
    SystemSockets::close_now(fd);
    platform_.release_starved();
}

// ---- Signals ----

void RealPlatform::serve_signal(SignalOp& op) noexcept {
    const std::int32_t status = signals_.add(op.signal_number, op.ends_process_when_unheard);
    if (status < 0) return complete(op, status);
    signal_ops_.push_back(op);
}

void RealPlatform::finish_signal(SignalOp& op, std::int32_t result) noexcept {
    signals_.remove(op.signal_number);
    links_of(op).unlink();
    complete(op, result);
}

void RealPlatform::finish_signals() noexcept {
    while (Hold* hold = signal_ops_.front()) {
        finish_signal(static_cast<SignalOp&>(hold->op()), cancelled);
    }
}

// Adds the received signals to the counts of the ops that wait for them, and notifies these ops.
void RealPlatform::deliver_arrived_signals() noexcept {
    std::uint64_t arrived = signals_.take_arrived();
    for (int number = 1; arrived != 0; ++number, arrived >>= 1u) {
        if ((arrived & 1u) == 0) continue;
        const std::uint32_t count = signals_.take_count(number);
        signal_ops_.for_each([&](Hold& hold) {
            auto& op = static_cast<SignalOp&>(hold);
            if (op.signal_number != number) return;
            op.count += count;
            notify(op);
        });
    }
}

// ---- Ops that are tried again ----

void RealPlatform::resume_later(WatchedDescriptor& descriptor) noexcept {
    if (!descriptor.is_unfinished()) unfinished_.push_back(descriptor);
    tick_again();
}

// Descriptors that become unfinished again meanwhile wait for the next tick.
void RealPlatform::resume_unfinished() noexcept {
    Queue<WatchedDescriptor, UnfinishedLinks> batch;
    batch.take_all(unfinished_);
    while (WatchedDescriptor* descriptor = batch.pop_front()) resume(*descriptor);
}

void RealPlatform::starve(WatchedDescriptor& descriptor, const Hold& hold) noexcept {
    if (!descriptor.is_starved()) starved_.push_back(descriptor);
    if (hold.op().code() == IoCode::accept && !lacks_descriptors_) {
        lacks_descriptors_ = true;
        log(LogLevel::warn,
            "accept on descriptor %d waits: the process is out of descriptors or memory (raise "
            "RLIMIT_NOFILE, or accept fewer connections)",
            descriptor.fd);
    }
    if (retry_at_ != Instant::never()) return;
    retry_at_ = clock_.now() + retry_delay_;
    retry_delay_ = std::min(retry_delay_ * 2, retry_delay_max);
}

void RealPlatform::release_starved() noexcept {
    retry_at_ = Instant::never();
    while (WatchedDescriptor* descriptor = starved_.pop_front()) resume_later(*descriptor);
}

}  // namespace gyre::platform
