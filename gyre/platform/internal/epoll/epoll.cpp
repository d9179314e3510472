// SPDX-License-Identifier: Apache-2.0
// EpollPlatform from its set-up to the completion of an op: wait, read events, try ops, finish.
#include "gyre/platform/internal/epoll/epoll.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>

#include "gyre/platform/internal/holds.hpp"
#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/system/system_call.hpp"
#include "gyre/platform/process.hpp"

namespace gyre::platform {
namespace {

constexpr int event_count_max = 256;

// While there is other work, epoll_wait is called only this rarely: a call costs many times an
// otherwise empty turn. Both limits hold, so that neither many short turns nor a few long ones
// delay I/O.
constexpr std::uint32_t looks_left_out_max = 15;
constexpr Duration look_interval_max = std::chrono::microseconds(20);

// Rounded up, so that a wait never ends before its deadline.
int to_milliseconds(Duration duration) noexcept {
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
    constexpr auto longest = std::numeric_limits<int>::max();
    return rounded > longest ? longest : static_cast<int>(rounded);
}

// Whether this side waits for the retry delay, not for an edge.
bool is_held_up(const Descriptor& descriptor, HoldQueue& side) noexcept {
    return descriptor.is_starved() && may_starve(side.front()->op().code());
}

}  // namespace

EpollPlatform::EpollPlatform(Clock& clock)
    : RealPlatform("epoll", clock),
      epoll_fd_(::epoll_create1(EPOLL_CLOEXEC)),
      events_(std::make_unique<epoll_event[]>(event_count_max)) {}

EpollPlatform::~EpollPlatform() = default;

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
        const WaitMask::Applied mask(wait_mask_);
        take_events(time_until(std::min(deadline, retry_at_)));
        now = clock_.now();
        last_look_ = now;
    } else {
        // Also if a level op is ready: other descriptors must be polled too, but not each time.
        now = clock_.now();
        if (should_peek(now)) {
            if (!may_block) (void)levels_.look(*this);
            take_events(Duration(0));
        }
    }
    if (now >= retry_at_) release_starved();
    is_busy_ = now - last_now_ < look_interval_max;
    last_now_ = std::max(last_now_, now);  // As in the loop: a clock may go back.
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
    bool is_woken = false;
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = events_[static_cast<std::size_t>(i)];
        if (event.data.fd == wake_fd_.get()) {
            is_woken = true;
        } else {
            on_events(event.data.fd, event.events);
        }
    }
    if (is_woken) deliver_signals();  // After the I/O that came before them.
}

// No error matters here: an interrupted wait is just one that ended early.
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
        // An old kernel, or a seccomp filter that does not know epoll_pwait2.
        if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
        has_precise_wait_ = false;
    }
    return ::epoll_wait(fd, events, event_count_max, to_milliseconds(timeout));
}

void EpollPlatform::on_events(Fd fd, std::uint32_t events) noexcept {
    Descriptor* descriptor = descriptors_.find(fd);
    if (descriptor == nullptr || !descriptor->is_registered) {
        // Closed here, but still open in another process that inherited it, or under another
        // number.
        // If the set cannot be renewed, the next event of this kind tries again.
        if (::epoll_ctl(epoll_fd_.get(), EPOLL_CTL_DEL, fd, nullptr) < 0) (void)renew_system();
        return;
    }

    // Other ops may consume the data before the level ops are notified.
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
    // Like an end of stream, urgent data makes a read return short although more data follows.
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
    if (op.code() == IoCode::receive_ring) {
        return attempt_ring(static_cast<ReceiveRingOp&>(op), descriptor);
    }
    const Attempt attempted = try_op(op, descriptor);
    if (attempted.outcome == Attempt::Outcome::done) note_done(op, attempted.result);
    return attempted;
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

void EpollPlatform::finish(Hold& hold, std::int32_t result) noexcept {
    Op& op = hold.op();
    links_of(hold).unlink();
    if (is_level(hold)) {
        LevelWatch::remove(static_cast<ReadinessOp&>(op));
        Descriptor& descriptor = *descriptors_.find(hold.fd);
        if (descriptor.is_level && descriptor.watchers.empty()) {
            end_registration(descriptor);
        } else if (descriptor.is_level) {
            (void)register_levels(descriptor);
        }
    }
    complete(op, result);
}

}  // namespace gyre::platform
