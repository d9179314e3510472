// SPDX-License-Identifier: Apache-2.0
// Set-up, wait and wake of EpollPlatform.
#include "gyre/platform/internal/epoll/epoll.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>

#include "gyre/platform/fork_watch.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

constexpr int event_count_max = 256;

// While there is other work, the system is asked at most so rarely: a call costs many times an
// otherwise empty turn. Both bounds hold, so that neither many short turns nor a few long ones keep
// I/O waiting.
constexpr std::uint32_t looks_left_out_max = 15;
constexpr Duration look_interval_max = std::chrono::microseconds(20);

// Rounded up: never early.
int to_milliseconds(Duration duration) noexcept {
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
    constexpr auto longest = std::numeric_limits<int>::max();
    return rounded > longest ? longest : static_cast<int>(rounded);
}

}  // namespace

EpollPlatform::EpollPlatform(Clock& clock)
    : RealPlatform("epoll", clock),
      epoll_fd_(::epoll_create1(EPOLL_CLOEXEC)),
      events_(std::make_unique<epoll_event[]>(event_count_max)) {}

EpollPlatform::~EpollPlatform() = default;

std::int32_t EpollPlatform::listen_for_wakes() noexcept {
    if (epoll_fd_.status() < 0) return epoll_fd_.status();
    if (wake_fd_.status() < 0) return wake_fd_.status();
    // Edge-triggered: each write is an event, whatever the count, so that it is never read.
    epoll_event interest{};
    interest.events = EPOLLIN | EPOLLET;
    interest.data.fd = wake_fd_.get();
    const int status = ::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_ADD, wake_fd_.get(), &interest);
    return status < 0 ? -errno : 0;
}

Result<std::unique_ptr<EpollPlatform>> EpollPlatform::make(Clock& clock) noexcept {
    if (const int status = watch_forks(); status != 0) {
        return std::unexpected(Error(static_cast<std::errc>(status)));
    }
    try {
        std::unique_ptr<EpollPlatform> platform(new EpollPlatform(clock));
        if (const std::int32_t status = platform->listen_for_wakes(); status < 0) {
            return std::unexpected(Error::of_result(status));
        }
        return platform;
    } catch (const std::bad_alloc&) {
        return std::unexpected(Error(std::errc::not_enough_memory));
    }
}

Instant EpollPlatform::wait(Instant deadline) noexcept {
    check_process();
    const Watchdog::Rest rest(watchdog_.get());
    const bool may_block = deadline > last_now_;
    Instant now;
    if (may_block && !levels_.look(*this)) {
        take_events(time_until(std::min(deadline, retry_at_)));
        now = clock_.now();
        last_look_ = now;
    } else {
        // Also where a level is ready: others get their turn, but need not be asked each time.
        now = clock_.now();
        if (should_peek(now)) {
            if (!may_block) (void)levels_.look(*this);
            take_events(Duration(0));
        }
    }
    if (now >= retry_at_) release_starved();
    is_busy_ = now - last_now_ < look_interval_max;
    last_now_ = std::max(last_now_, now);  // As the loop does: a clock may go back.
    return now;
}

bool EpollPlatform::should_peek(Instant now) noexcept {
    if (registered_count_ == 0 && levels_.empty() && !signals_.is_in_use()) return false;
    if (looks_left_out_ >= looks_left_out_max || now - last_look_ >= look_interval_max) {
        last_look_ = now;
        return true;
    }
    ++looks_left_out_;
    return false;
}

void EpollPlatform::take_events(Duration timeout) noexcept {
    looks_left_out_ = 0;
    ++system_wait_count_;
    const int count = wait_for_events(timeout);
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = events_[static_cast<std::size_t>(i)];
        if (event.data.fd == wake_fd_.get()) {
            deliver_signals();
        } else {
            on_events(event.data.fd, event.events);
        }
    }
}

// Nothing is an error here: an interrupted wait is one that ended early.
int EpollPlatform::wait_for_events(Duration timeout) noexcept {
    epoll_event* const events = events_.get();
    const Fd fd = epoll_fd_.get();
    if (timeout == no_timeout) return ::epoll_wait(fd, events, event_count_max, -1);
    if (timeout == Duration(0)) return ::epoll_wait(fd, events, event_count_max, 0);
    return wait_for_events_or_time(timeout);
}

int EpollPlatform::wait_for_events_or_time(Duration timeout) noexcept {
    epoll_event* const events = events_.get();
    const Fd fd = epoll_fd_.get();
    if (has_precise_wait_) {
        const timespec limit = to_timespec<timespec>(timeout);
        const int count = ::epoll_pwait2(fd, events, event_count_max, &limit, nullptr);
        // An old system, or a filter that does not know the call.
        if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
        has_precise_wait_ = false;
    }
    return ::epoll_wait(fd, events, event_count_max, to_milliseconds(timeout));
}

void EpollPlatform::on_events(Fd fd, std::uint32_t events) noexcept {
    Descriptor* descriptor = descriptors_.find(fd);
    if (descriptor == nullptr || !descriptor->is_registered) {
        // Closed here, but alive in another process that has inherited it, or under another number.
        if (::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_DEL, fd, nullptr) < 0) renew_set();
        return;
    }

    // Ops may take what came before those that watch levels are told.
    const bool has_rivals = !descriptor->reads.empty() || !descriptor->writes.empty();
    const int mask = has_rivals ? 0 : static_cast<int>(events);
    if (descriptor->is_level && !has_rivals) {
        run_watchers(*descriptor, Events::none, mask);
    } else {
        on_edges(*descriptor, events, mask);
    }
}

void EpollPlatform::on_edges(Descriptor& descriptor, std::uint32_t events, int mask) noexcept {
    const bool has_ended = (events & (EPOLLHUP | EPOLLERR)) != 0;
    // Urgent data cuts a read short although more is there, just as an end does.
    if ((events & (EPOLLRDHUP | EPOLLPRI)) != 0 || has_ended) descriptor.has_ended = true;

    Events seen = Events::none;
    if ((events & (EPOLLIN | EPOLLPRI)) != 0) seen = seen | Events::readable;
    if ((events & EPOLLOUT) != 0) seen = seen | Events::writable;
    if ((events & (EPOLLHUP | EPOLLRDHUP)) != 0) seen = seen | Events::hang_up;
    if ((events & EPOLLERR) != 0) seen = seen | Events::error;

    if (has_ended || (events & (EPOLLIN | EPOLLPRI | EPOLLRDHUP)) != 0) {
        descriptor.may_read = true;
        run_reads(descriptor);
    }
    if (has_ended || (events & EPOLLOUT) != 0) {
        descriptor.may_write = true;
        run_writes(descriptor);
    }
    if (!descriptor.watchers.empty()) run_watchers(descriptor, seen, mask);
}

// A registration whose number is closed cannot be ended, and one with levels would tell for ever.
// So the set is made anew, under the same number.
void EpollPlatform::renew_set() noexcept {
    const OwnFd fresh(::epoll_create1(EPOLL_CLOEXEC));
    if (fresh.status() < 0) return;  // The next event of this kind tries again.
    if (::dup3(fresh.get(), epoll_fd_.get(), O_CLOEXEC) < 0) return;
    (void)listen_for_wakes();
    descriptors_.for_each([this](Descriptor& descriptor) {
        if (!descriptor.is_registered) return;
        const bool is_level = descriptor.is_level;
        end_registration(descriptor);
        // Where that fails, the ops are served with the next attempt.
        (void)(is_level ? register_levels(descriptor) : ensure_registered(descriptor));
    });
}

}  // namespace gyre::platform
