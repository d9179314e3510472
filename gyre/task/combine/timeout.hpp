// SPDX-License-Identifier: Apache-2.0
// timeout, deadline: a future that must settle in time. If it does not, it is cancelled, and
// TimeoutError is thrown when it has ended. A value or failure that it settles with anyway is
// passed on.
//
//     std::string page = co_await timeout(fetch(url), 5s);
//     std::string copy = co_await deadline(fetch(url), started + 5s);
//     Duration left = co_await current_deadline() - now;
//
// Thread: one executor's thread.
// Lifetime: the future is moved in; it ends before the await does.
// Cancel: see detail/gather.hpp.
//
// The future always gets its first run, even with no time left. Deadlines nest: the nearer one
// holds.
#pragma once

#include <string>
#include <system_error>

#include "gyre/base/failure.hpp"
#include "gyre/task/combine/detail/gather.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre {

// Its code is std::errc::timed_out, so `try_` converts it to an Error.
class TimeoutError : public SystemFailure {
public:
    explicit TimeoutError(Duration limit);  // "Timeout after 5000ms"
    [[nodiscard]] Duration limit() const noexcept { return limit_; }

private:
    Duration limit_;
};

// Ends at that time.
[[nodiscard]] Future<void> alarm_at(Instant when);

// Both limits hold.
template <class T>
Future<T> within(Future<T> future, Duration limit, Instant when) {
    Task& owner = co_await this_task();
    const Instant now = owner.executor().now();
    if (now + limit < when) when = now + limit;
    Gather gather(owner, "timeout", [](const Tally& /*tally*/) noexcept { return true; });
    gather.set_deadline(when);
    gather.set_all_seen();
    auto work = gather.start(std::move(future));
    const auto alarm = gather.start(alarm_at(when));
    co_await gather.ended();
    if (!work.outcome().has_value()) {
        co_await cancel_point();
        if (gather.is_decided_by(alarm) && work.was_cancelled()) throw TimeoutError(when - now);
    }
    co_return work.outcome().take();
}

template <class A>
[[nodiscard]] auto timeout(A&& awaitable, Duration limit) {
    if constexpr (check_awaitable<A>()) {
        return within(as_future(std::forward<A>(awaitable)), limit, Instant::never());
    } else {
        return NotAwaitable{};
    }
}
template <class A>
[[nodiscard]] auto deadline(A&& awaitable, Instant when) {
    if constexpr (check_awaitable<A>()) {
        return within(as_future(std::forward<A>(awaitable)), Duration::max(), when);
    } else {
        return NotAwaitable{};
    }
}

// `co_await current_deadline()`: the nearest deadline that this task runs under; Instant::never()
// if there is none. Never waits.
class [[nodiscard]] CurrentDeadline {
public:
    [[nodiscard]] auto await_in(PromiseBase& promise) const noexcept {
        return Await{promise.task().scope().deadline()};
    }

private:
    struct Await {
        Instant nearest;
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] Instant await_resume() const noexcept { return nearest; }
    };
};
[[nodiscard]] inline CurrentDeadline current_deadline() noexcept {
    return {};
}

}  // namespace gyre
