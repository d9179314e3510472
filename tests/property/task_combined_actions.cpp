// SPDX-License-Identifier: Apache-2.0
// The actions of the tasks of a random program that start other work: scopes, combinators, streams,
// polls, timers and threads.
#include "gyre/task/combine/all.hpp"
#include "gyre/task/combine/race.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/combine/timeout.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/stream/merge.hpp"
#include "gyre/task/thread/blocking.hpp"
#include "gyre/task/thread/waker.hpp"
#include "tests/property/task_program.hpp"

namespace gyre::property {

Duration TaskProgram::some_time() {
    return std::chrono::microseconds(random_.below(5) * 500);
}

template <class T>
Future<void> TaskProgram::forgive(Worker& me, Future<T> future) {
    try {
        static_cast<void>(co_await std::move(future));
    } catch (const Cancelled&) {
        if (me.task->is_cancel_requested()) throw;
    } catch (const std::exception&) {
    }
}

Future<void> TaskProgram::nap(Worker& /*me*/) {
    const Duration time = some_time();
    const Instant until = executor_->now() + time;
    co_await sleep(time);
    ledger_.check(executor_->now() >= until, "nobody wakes early");
}

Future<void> TaskProgram::give_way(Worker& /*me*/) {
    co_await yield();
}

Future<void> TaskProgram::open_scope(Worker& me) {
    Crowd crowd(ledger_);
    const ScopeOptions options{.concurrency_max = random_.one_in(2) ? 1 + random_.below(2) : 100,
                               .cancels_on_failure = !random_.one_in(3)};
    crowd.running_max = options.concurrency_max;
    int exits = 0;
    bool has_thrown = false;
    const auto count_exit = [&]() -> Future<void> {
        co_await yield();
        ++exits;
    };
    const auto body = [&](Scope& scope) -> Future<void> {
        scope.on_exit(count_exit);
        --exits;
        for (auto left = random_.below(4); left > 0; --left) spawn(scope, crowd, me.depth + 1);
        if (random_.one_in(6)) scope.cancel("by chance");
        const Task& task = co_await this_task();
        Worker inside{.id = ++last_worker_, .depth = me.depth + 1, .task = &task};
        co_await do_one(inside);
    };
    std::exception_ptr failure;
    try {
        co_await with_scope(body, options);
    } catch (...) {
        failure = std::current_exception();
        has_thrown = true;
    }
    ledger_.check(crowd.running == 0, "a scope is left when its last task has ended");
    ledger_.check(exits == 0, "a scope cleans up once, on every way out");
    ledger_.check(has_thrown || !crowd.has_failed || !options.cancels_on_failure,
                  "what a task of a scope failed with is not lost");
    if (failure == nullptr) co_return;
    if (is_cancelled(failure) && me.task->is_cancel_requested()) std::rethrow_exception(failure);
}

Future<void> TaskProgram::await_all(Worker& me) {
    const auto compare = [this](const std::pair<int, int>& both) {
        ledger_.check(both.first != both.second, "each future gives its own value");
    };
    co_await forgive(me, work(me.depth + 1).and_(work(me.depth + 1)).map(compare));
}

Future<void> TaskProgram::race_some(Worker& me) {
    const int before = ledger_.alive;
    auto first = race(work(me.depth + 1), work(me.depth + 1), work(me.depth + 1));
    ledger_.check(ledger_.alive == before, "a race that nobody awaits has not begun");
    co_await forgive(me, std::move(first));
}

Future<void> TaskProgram::hurry(Worker& me) {
    co_await forgive(me, timeout(work(me.depth + 1), some_time()));
}

Future<void> TaskProgram::shield_some(Worker& me) {
    // Only what ends by itself: a shield keeps even the end of the program away.
    bool has_ended = false;
    const auto rest = [&]() -> Future<void> {
        co_await nap(me);
        co_await give_way(me);
        has_ended = true;
    };
    co_await shield(rest());
    ledger_.check(has_ended, "what is shielded runs to its end");
}

// Its clean-up awaits, whatever it is that ends it.
Stream<int> TaskProgram::numbers(int count) {
    std::optional<Alive> open(std::in_place, ledger_);
    std::exception_ptr failure;
    try {
        for (int i = 0; i < count; ++i) {
            co_await sleep(some_time());
            co_yield i;
        }
    } catch (...) {
        failure = std::current_exception();
    }
    co_await shield(tidy(*std::move(open)));
    if (failure != nullptr) std::rethrow_exception(failure);
}
Future<void> TaskProgram::tidy(Alive /*open*/) {
    co_await yield();
}

Future<void> TaskProgram::read_stream(Worker& me) {
    const int count = static_cast<int>(random_.below(4));
    const auto wanted = random_.below(4);
    auto stream = numbers(count);
    int next = 0;
    for (auto left = wanted; left > 0; --left) {
        const auto value = co_await stream.next();
        ledger_.check(value.has_value() == (next < count), "a stream gives all its values");
        if (value.has_value()) ledger_.check(*value == next++, "and in their order");
        if (random_.one_in(3)) co_await give_way(me);
    }
    co_await stream.aclose();
}

Future<void> TaskProgram::drop_stream(Worker& /*me*/) {
    auto stream = numbers(3);
    if (random_.one_in(4)) co_return;
    static_cast<void>(co_await stream.next());
}

Future<void> TaskProgram::read_merged(Worker& me) {
    const auto distinct = [](int by) { return [by](int value) { return value + by; }; };
    auto merged = merge(numbers(3).map(distinct(0)), numbers(2).map(distinct(10)));
    std::array<int, 2> next = {0, 10};
    bool is_over = false;
    for (auto left = random_.below(8); left > 0 && !is_over; --left) {
        const auto value = co_await merged.next();
        is_over = !value.has_value();
        if (is_over) {
            ledger_.check(next == std::array{3, 12}, "merged streams lose nothing");
        } else {
            ledger_.check(*value == next[*value < 10 ? 0 : 1]++, "and keep their orders");
        }
        if (random_.one_in(3)) co_await give_way(me);
    }
    co_await merged.aclose();
}

Future<void> TaskProgram::poll_some(Worker& me) {
    auto future = work(me.depth + 1);
    auto left = random_.below(5);
    const auto poll = [&](const Waker& waker) -> Poll<int> {
        if (left-- == 0) return 0;
        return future.poll(waker);
    };
    co_await forgive(me, poll_with(poll));
}

Future<void> TaskProgram::share_some(Worker& me) {
    if (shared_.empty() || random_.one_in(2)) shared_.push_back(share(work(me.depth + 1)));
    co_await forgive(me, await_shared(shared_[random_.below(shared_.size())]));
}
Future<void> TaskProgram::await_shared(SharedFuture<int> shared) {
    const int first = co_await shared;
    const int again = co_await shared;
    ledger_.check(first == again, "a shared future gives one value, to everybody");
}

Future<void> TaskProgram::await_task(Worker& me) {
    co_await forgive(me, await_handle(&spawned_[random_.below(spawned_.size())].handle));
}
Future<void> TaskProgram::await_handle(TaskHandle<int>* handle) {
    const int value = co_await *handle;
    ledger_.check(handle->is_completed(), "who awaited a task finds it ended");
    ledger_.check(value > 0, "a task gives its value");
}

Future<void> TaskProgram::cancel_task(Worker& /*me*/) {
    if (random_.one_in(2)) spawned_[random_.below(spawned_.size())].handle.cancel("by chance");
    co_return;
}

Future<void> TaskProgram::call_blocking(Worker& me) {
    const auto give = [id = me.id] { return id; };
    const std::uint32_t value = co_await blocking(give);
    ledger_.check(value == me.id, "a call gives what its function returns");
}

}  // namespace gyre::property
