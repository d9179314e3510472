// SPDX-License-Identifier: Apache-2.0
// Asio's rows of the group task: awaitables (stand-alone Asio, C++20 coroutines) on an io_context
// with concurrency hint 1, or on a thread_pool.
//
// A signal: a completion handler that is kept and posted. A promise: a channel that holds one. A
// yield: asio::post. Timers are in virtual time. Between two threads: a concurrent_channel, each
// io_context polled without waiting. Asio has nothing to poll, and what it awaits without waiting
// (this_coro) carries no value across a function.
#include <asio.hpp>
#include <asio/experimental/channel.hpp>
#include <asio/experimental/concurrent_channel.hpp>
#include <atomic>
#include <optional>
#include <thread>

#include "bench/affinity.hpp"
#include "bench/peers/virtual_clock.hpp"
#include "bench/task_tree_cases.hpp"

namespace gyre::bench {
namespace {

using Signature = void(asio::error_code, std::uint64_t);

// A handler of a coroutine that waits, to be posted by whoever wakes it.
template <class Executor>
class HandlerSlot {
public:
    template <class AfterKept>
    auto wait(AfterKept after_kept) {
        using Token = asio::use_awaitable_t<Executor>;
        return asio::async_initiate<Token, void()>(
            [this, after_kept](auto handler) {
                handler_.emplace(std::move(handler));
                after_kept();
            },
            token_);
    }
    void wake() {
        Handler handler = std::move(*handler_);
        handler_.reset();
        asio::post(std::move(handler));  // From here on the slot may be gone.
    }

private:
    using Handler =
        typename asio::async_result<asio::use_awaitable_t<Executor>, void()>::handler_type;
    asio::use_awaitable_t<Executor> token_;
    std::optional<Handler> handler_;
};

// Counts one more than there are children: the one that waits for them.
template <class Executor, class Count>
class AsioGroup {
public:
    template <class Tasks>
    explicit AsioGroup(Tasks& tasks) : executor_(tasks.executor()) {}

    void spawn(asio::awaitable<std::uint64_t, Executor> task) {
        ++unfinished_count_;
        asio::co_spawn(executor_, std::move(task), [this](std::exception_ptr, std::uint64_t value) {
            sum_ += value;
            finish_one();
        });
    }
    asio::awaitable<std::uint64_t, Executor> sum() {
        co_await slot_.wait([this] { finish_one(); });
        co_return sum_;
    }

private:
    void finish_one() {
        if (--unfinished_count_ == 0) slot_.wake();
    }

    Executor executor_;
    HandlerSlot<Executor> slot_;
    Count unfinished_count_{1};
    Count sum_{0};
};

class AsioTasks {
public:
    using Executor = asio::io_context::executor_type;
    template <class T>
    using Task = asio::awaitable<T, Executor>;
    using Group = AsioGroup<Executor, std::uint64_t>;

    class Signal {
    public:
        explicit Signal(AsioTasks& /*tasks*/) {}
        auto wait() {
            return slot_.wait([] {});
        }
        void wake() { slot_.wake(); }

    private:
        HandlerSlot<Executor> slot_;
    };

    class Channel {
    public:
        Channel(AsioTasks& tasks, std::size_t capacity) : channel_(tasks.executor(), capacity) {}
        auto send(std::uint64_t value) {
            return channel_.async_send(asio::error_code(), value,
                                       asio::use_awaitable_t<Executor>());
        }
        auto receive() { return channel_.async_receive(asio::use_awaitable_t<Executor>()); }

    private:
        asio::experimental::channel<Executor, Signature> channel_;
    };

    class Promise {
    public:
        explicit Promise(AsioTasks& tasks) : channel_(tasks.executor(), 1) {}
        void settle(std::uint64_t value) { channel_.try_send(asio::error_code(), value); }
        auto get() { return channel_.async_receive(asio::use_awaitable_t<Executor>()); }

    private:
        asio::experimental::channel<Executor, Signature> channel_;
    };

    [[gnu::noinline]] static Task<std::uint64_t> child(std::uint64_t value) { co_return value; }

    [[nodiscard]] Executor executor() { return io_.get_executor(); }
    auto yield() { return asio::post(executor(), asio::use_awaitable_t<Executor>()); }
    void spawn(Task<void> task) { asio::co_spawn(executor(), std::move(task), asio::detached); }
    void run() { io_.run(); }

protected:
    asio::io_context io_{1};
};

class AsioTimedTasks : public AsioTasks {
public:
    Task<void> sleep(std::int64_t duration_ns) {
        asio::steady_timer::rebind_executor<Executor>::other timer(executor());
        timer.expires_after(std::chrono::nanoseconds{duration_ns});
        co_await timer.async_wait(asio::use_awaitable_t<Executor>());
    }
    void turn_at(std::int64_t time_ns) {
        time_.set(time_ns);
        io_.poll();
        io_.restart();
    }

private:
    VirtualTime time_;
};

class AsioPool {
public:
    using Executor = asio::thread_pool::executor_type;
    template <class T>
    using Task = asio::awaitable<T, Executor>;
    using Group = AsioGroup<Executor, std::atomic<std::uint64_t>>;

    explicit AsioPool(std::size_t thread_count) : pool_(thread_count) {}

    [[nodiscard]] Executor executor() { return pool_.get_executor(); }
    std::uint64_t sum_of(Task<std::uint64_t> task) {
        std::uint64_t sum = 0;
        asio::co_spawn(executor(), std::move(task),
                       [&sum](std::exception_ptr, std::uint64_t value) { sum = value; });
        pool_.join();
        return sum;
    }

private:
    asio::thread_pool pool_;
};

// A loop of its own on one core that never waits.
class SpinningContext {
public:
    void run(asio::awaitable<void> task, std::size_t core) {
        const PinnedThread pinned{core};
        asio::co_spawn(io_, std::move(task), [this](std::exception_ptr) { is_over_ = true; });
        while (!is_over_) io_.poll();
    }
    [[nodiscard]] asio::any_io_executor executor() { return io_.get_executor(); }

private:
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);
    bool is_over_ = false;
};

class SharedChannel {
public:
    explicit SharedChannel(const asio::any_io_executor& executor) : channel_(executor, 1) {}
    auto send(std::uint64_t value) {
        return channel_.async_send(asio::error_code(), value, asio::use_awaitable);
    }
    auto receive() { return channel_.async_receive(asio::use_awaitable); }

private:
    asio::experimental::concurrent_channel<Signature> channel_;
};

void measure_channel_ping_pong_2(Run& run) {
    using Task = asio::awaitable<void>;
    SpinningContext here;
    SpinningContext there;
    SharedChannel questions(there.executor());
    SharedChannel answers(here.executor());
    std::thread other([&] { there.run(answer_all<SharedChannel, Task>(questions, answers), 1); });
    Meter meter(run);
    here.run(ask_all<SharedChannel, Task>(questions, answers, meter), 0);
    other.join();
    run.report("channel_ping_pong_2", meter.ns());
}

}  // namespace
}  // namespace gyre::bench

int main(int argument_count, char** arguments) {
    using namespace gyre::bench;
    return run_program(argument_count, arguments,
                       {{child_await_entry<AsioTasks>(),
                         promise_entry<AsioTasks>(),
                         timer_await_entry<AsioTimedTasks>(),
                         {{"channel_ping_pong_2"}, measure_channel_ping_pong_2}},
                        task_entries<AsioTasks>(),
                        task_tree_entries<AsioTasks>(),
                        task_pool_entries<AsioPool>()});
}
