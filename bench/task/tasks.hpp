// SPDX-License-Identifier: Apache-2.0
// The adapter of gyre's own tasks (see bench/task_cases.hpp): an executor on a loop whose platform
// serves nothing and whose time is a number, so that only tasks and the loop's turns are measured.
#pragma once

#include <array>
#include <cstdlib>
#include <vector>

#include "bench/manual_platform.hpp"
#include "bench/task_cases.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/sync/channel.hpp"
#include "gyre/task/sync/event.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre::bench {

class GyreTasks {
public:
    template <class T>
    using Task = Future<T>;

    ~GyreTasks() { loop_.close(); }

    // An event that is over as soon as it has happened.
    class Signal {
    public:
        explicit Signal(GyreTasks& /*tasks*/) {}
        Event& wait() { return event_; }
        void wake() {
            event_.set();
            event_.reset();
        }

    private:
        Event event_;
    };

    class Channel {
    public:
        Channel(GyreTasks& /*tasks*/, std::size_t capacity) : channel_(capacity) {}
        auto send(std::uint64_t value) { return channel_.send(value); }
        auto receive() { return Value{channel_.receive()}; }

    private:
        using Receive = decltype(std::declval<gyre::Channel<std::uint64_t>&>().receive());
        using Inner = gyre::Channel<std::uint64_t>::ReceiveAwait;
        // Without the optional: these channels are never closed.
        struct Value {
            struct Await {
                Inner inner;
                GYRE_ALWAYS_INLINE bool await_ready() noexcept { return inner.await_ready(); }
                GYRE_ALWAYS_INLINE void await_suspend(std::coroutine_handle<> by) noexcept {
                    inner.await_suspend(by);
                }
                GYRE_ALWAYS_INLINE std::uint64_t await_resume() { return *inner.await_resume(); }
            };
            Receive receive;
            Await await_in(PromiseBase& promise) { return {receive.await_in(promise)}; }
        };
        gyre::Channel<std::uint64_t> channel_;
    };

    class Promise {
    public:
        explicit Promise(GyreTasks& /*tasks*/) {}
        void settle(std::uint64_t value) { promise_.resolve(value); }
        auto get() { return promise_.future(); }

    private:
        gyre::Promise<std::uint64_t> promise_;
    };

    class Group {
    public:
        explicit Group(GyreTasks& tasks) : tasks_(tasks) { handles_.reserve(10); }
        void spawn(Task<std::uint64_t> task) {
            handles_.push_back(tasks_.executor_.root().spawn(std::move(task)));
        }
        Task<std::uint64_t> sum() {
            std::uint64_t total = 0;
            for (auto& handle : handles_) total += co_await std::move(handle);
            co_return total;
        }

    private:
        GyreTasks& tasks_;
        std::vector<TaskHandle<std::uint64_t>> handles_;
    };

    [[gnu::noinline]] static std::array<Ready<std::uint64_t>, 4> four_ready(std::uint64_t value) {
        return {gyre::ready(value), gyre::ready(value + 1), gyre::ready(value + 2),
                gyre::ready(value + 3)};
    }
    [[gnu::noinline]] static Task<std::uint64_t> child(std::uint64_t value) { co_return value; }
    static Task<std::uint64_t> open_child(std::uint64_t value) { co_return value; }

    void poll_pending(Meter& meter) {
        spawn(poll_in_task(meter));
        run();
    }
    auto yield() { return gyre::yield(); }
    auto sleep(std::int64_t duration_ns) { return gyre::sleep(Duration(duration_ns)); }
    void spawn(Task<void> task) { executor_.root().spawn(std::move(task)); }
    void run() { static_cast<void>(loop_.run()); }
    void turn_at(std::int64_t time_ns) {
        platform_.time = Instant(static_cast<std::uint64_t>(time_ns));
        loop_.turn();
    }

private:
    [[gnu::noinline]] static bool is_pending(Future<int>& future, const Waker& waker) {
        return future.poll(waker).is_pending();
    }
    static Task<void> poll_in_task(Meter& meter) {
        gyre::Promise<int> promise;
        Future<int> future = promise.future();
        const Waker waker = co_await this_waker();
        while (meter.goes_on(operations_at_once)) {
            if (!all_pending(future, waker)) std::abort();
        }
    }
    [[gnu::noinline]] static bool all_pending(Future<int>& future, const Waker& waker) {
        std::uint64_t pending_count = 0;
        for (std::uint64_t i = 0; i < operations_at_once; ++i) {
            pending_count += is_pending(future, waker);
        }
        return pending_count == operations_at_once;
    }

    ManualPlatform platform_;
    Executor executor_;
    Loop loop_{platform_, executor_};
};

}  // namespace gyre::bench
