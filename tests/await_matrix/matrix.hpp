// SPDX-License-Identifier: Apache-2.0
// Every pair of an awaitable and a combinator, in virtual time: with a value that is there or comes
// later, a failure, a cancel, and a value that comes at the same time as the end of the wait. One
// test, one thread.
//
// A Source makes one kind of awaitable:
//
//     struct Receive {
//         explicit Receive(Stage& stage);
//         auto make();                     // the awaitable, an rvalue, or an lvalue of the source
//         void give();                     // its value is there
//         void fail();                     // optional: it fails
//         static int number(…);            // of the value of the awaitable: 1
//         Future<void> set_up();           // optional: runs first
//         void tear_down();                // optional: runs last
//         static constexpr bool is_kept;   // a cancelled wait takes nothing: the next gets the value
//     };
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "gyre/base/log.hpp"
#include "gyre/task/async.hpp"
#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/task_world.test.hpp"

namespace gyre::await_matrix {

using namespace std::chrono_literals;

struct Stage : FrameCheck, TaskWorld {
    Stage() { set_log_level(LogLevel::off); }  // Some fail where nobody looks any more.
    ~Stage() { set_log_level(LogLevel::info); }
    [[nodiscard]] Scope& root() { return executor.root(); }
};

template <class S>
using Made = decltype(std::declval<S&>().make());
template <class S>
using ValueOf = AwaitValue<Made<S>>;

// A future of the same type that does not end.
template <class T>
Future<T> never() {
    co_await sleep(24h);
    throw std::logic_error("never ended");
}

// The value of an awaitable as a number, also for void.
template <class S>
Future<int> number_of(Future<ValueOf<S>> future) {
    if constexpr (std::is_void_v<ValueOf<S>>) {
        co_await std::move(future);
        co_return S::number();
    } else {
        co_return S::number(co_await std::move(future));
    }
}
template <class S, class T>
int number_of_kept(T value) {
    if constexpr (std::is_void_v<ValueOf<S>>) {
        return S::number();
    } else {
        return S::number(std::move(value));
    }
}

// ---- The combinators ----

template <class S>
Future<int> by_await(S& source, Scope& /*scope*/) {
    return number_of<S>(as_future(source.make()));
}
template <class S>
Future<int> by_timeout(S& source, Scope& /*scope*/) {
    return number_of<S>(timeout(source.make(), 1h));
}
template <class S>
Future<int> by_deadline(S& source, Scope& /*scope*/) {
    return number_of<S>(deadline(source.make(), Instant::never()));
}
template <class S>
Future<int> by_race(S& source, Scope& /*scope*/) {
    return number_of<S>(race(source.make(), never<ValueOf<S>>()));
}
template <class S>
Future<int> by_any(S& source, Scope& /*scope*/) {
    return number_of<S>(any(source.make(), never<ValueOf<S>>()));
}
template <class S>
Future<int> by_all(S& source, Scope& /*scope*/) {
    auto [value, other] = co_await all(source.make(), sleep(1ns));
    co_return number_of_kept<S>(std::move(value));
}
template <class S>
Future<int> by_all_settled(S& source, Scope& /*scope*/) {
    auto [end, other] = co_await all_settled(source.make(), sleep(1ns));
    if (!end) std::rethrow_exception(end.error());
    if constexpr (std::is_void_v<ValueOf<S>>) {
        co_return S::number();
    } else {
        co_return S::number(std::move(*end));
    }
}
template <class S>
Future<int> by_try(S& source, Scope& /*scope*/) {
    auto result = co_await try_(source.make());
    if (!result) throw std::system_error(std::make_error_code(result.error().code()));
    if constexpr (std::is_void_v<ValueOf<S>>) {
        co_return S::number();
    } else {
        co_return S::number(std::move(*result));
    }
}
template <class S>
Future<int> by_shield(S& source, Scope& /*scope*/) {
    return number_of<S>(as_future(shield(source.make())));
}
template <class S>
Future<int> by_keep_running(S& source, Scope& scope) {
    return number_of<S>(keep_running(scope, source.make()));
}
template <class S>
Future<int> by_spawn(S& source, Scope& scope) {
    return number_of<S>(as_future(scope.spawn(source.make())));
}
template <class S>
Future<int> by_map(S& source, Scope& /*scope*/) {
    return map(source.make(), [](auto... value) { return S::number(std::move(value)...); });
}
template <class S>
Future<int> by_share(S& source, Scope& /*scope*/) {
    return number_of<S>(share(source.make()));
}
template <class S>
Future<int> by_select(S& source, Scope& /*scope*/) {
    auto [end, other] = co_await select(source.make(), never<int>());
    if constexpr (std::is_void_v<ValueOf<S>>) {
        end.take();
        co_return S::number();
    } else {
        co_return S::number(end.take());
    }
}
template <class S>
Future<int> by_nest(S& source, Scope& /*scope*/) {
    using T = ValueOf<S>;
    return number_of<S>(timeout(race(shield(any(source.make(), never<T>())), never<T>()), 1h));
}

// What a cancel of the task does to the awaitable in it.
// `drops`: ends it too, but a value that comes at the same time is lost.
enum class OnCancel : unsigned char { ends, goes_on, drops };
template <class S>
struct Combinator {
    const char* name;
    Future<int> (*combine)(S& source, Scope& scope);
    OnCancel on_cancel = OnCancel::ends;
};
template <class S>
inline constexpr Combinator<S> combinators[] = {
    {"co_await", by_await<S>},
    {"timeout", by_timeout<S>},
    {"deadline", by_deadline<S>},
    {"race", by_race<S>},
    {"any", by_any<S>},
    {"all", by_all<S>},
    {"all_settled", by_all_settled<S>},
    {"try_", by_try<S>},
    {"shield", by_shield<S>, OnCancel::goes_on},
    {"keep_running", by_keep_running<S>, OnCancel::goes_on},
    {"spawn", by_spawn<S>, OnCancel::goes_on},
    {"map", by_map<S>},
    {"share", by_share<S>, OnCancel::drops},
    {"select", by_select<S>},
    {"a nest", by_nest<S>, OnCancel::goes_on},
};

// ---- The situations ----

// A Stage, a Source and the combinator around it.
template <class S>
class Pair {
public:
    explicit Pair(const Combinator<S>& combinator) : combinator_(combinator) {}

    void expect_value_that_is_there() {
        run([](Pair& pair, Scope& scope) -> Future<void> {
            pair.source_.give();
            EXPECT_EQ(co_await pair.combine(scope), 1);
        });
    }
    void expect_value_that_comes_later() {
        run([](Pair& pair, Scope& scope) -> Future<void> {
            auto task = scope.spawn(pair.combine(scope));
            co_await sleep(1ms);
            pair.source_.give();
            EXPECT_EQ(co_await task, 1);
        });
    }
    void expect_failure() {
        if constexpr (requires(S& source) { source.fail(); }) {
            run([](Pair& pair, Scope& scope) -> Future<void> {
                auto task = scope.spawn(caught(pair.combine(scope)));
                co_await sleep(1ms);
                pair.source_.fail();
                EXPECT_TRUE(co_await task);
            });
        }
    }
    void expect_end_by_a_cancel() {
        run([](Pair& pair, Scope& scope) -> Future<void> {
            auto task = scope.spawn(pair.combine(scope));
            co_await sleep(1ms);
            task.cancel("no longer wanted");
            const bool goes_on = pair.combinator_.on_cancel == OnCancel::goes_on;
            co_await sleep(1ms);
            if constexpr (S::is_kept) {
                if (!goes_on) {
                    EXPECT_TRUE(task.was_cancelled());
                    auto again = scope.spawn(as_future(pair.source_.make()));
                    pair.source_.give();
                    (void)co_await std::move(again);
                    co_return;
                }
            }
            pair.source_.give();
            static_cast<void>(co_await caught(as_future(std::move(task))));
        });
    }
    // The value and the end of its time come in one turn: it is given, or still there.
    void expect_value_that_comes_with_the_timeout() {
        if constexpr (S::is_kept) {
            if (combinator_.on_cancel != OnCancel::ends) return;
            run([](Pair& pair, Scope& scope) -> Future<void> {
                scope.spawn(
                    [](S* source) -> Future<void> {
                        co_await sleep(1ms);
                        source->give();
                    },
                    &pair.source_);
                auto [value, tick] = co_await select(pair.combine(scope), sleep(1ms));
                const int number =
                    value ? value.take() : co_await number_of<S>(as_future(pair.source_.make()));
                EXPECT_EQ(number, 1);
            });
        }
    }

private:
    [[nodiscard]] Future<int> combine(Scope& scope) { return combinator_.combine(source_, scope); }
    static Future<bool> caught(Future<int> future) {
        try {
            (void)co_await std::move(future);
        } catch (const std::exception&) {
            co_return true;
        }
        co_return false;
    }
    template <class F>
    void run(F body) {
        SCOPED_TRACE(combinator_.name);
        stage_.run([this, body]() -> Future<void> {
            if constexpr (requires { source_.set_up(); }) co_await source_.set_up();
            co_await with_scope([this, body](Scope& scope) { return body(*this, scope); },
                                {.cancels_on_failure = false});
            if constexpr (requires { source_.tear_down(); }) source_.tear_down();
        });
    }

    const Combinator<S>& combinator_;
    Stage stage_;
    S source_{stage_};
};

template <class S>
class AwaitMatrix : public ::testing::Test {};
TYPED_TEST_SUITE_P(AwaitMatrix);

TYPED_TEST_P(AwaitMatrix, gets_a_value_that_is_there) {
    // clause: A33
    for (const auto& each : combinators<TypeParam>) {
        Pair<TypeParam>(each).expect_value_that_is_there();
    }
}
TYPED_TEST_P(AwaitMatrix, gets_a_value_that_comes_later) {
    // clause: A33
    for (const auto& each : combinators<TypeParam>) {
        Pair<TypeParam>(each).expect_value_that_comes_later();
    }
}
TYPED_TEST_P(AwaitMatrix, passes_a_failure_on) {
    // clause: A33
    for (const auto& each : combinators<TypeParam>) Pair<TypeParam>(each).expect_failure();
}
TYPED_TEST_P(AwaitMatrix, ends_when_it_is_cancelled) {
    // clause: A33
    for (const auto& each : combinators<TypeParam>) {
        Pair<TypeParam>(each).expect_end_by_a_cancel();
    }
}
TYPED_TEST_P(AwaitMatrix, loses_no_value_that_comes_with_the_timeout) {
    // clause: A33
    for (const auto& each : combinators<TypeParam>) {
        Pair<TypeParam>(each).expect_value_that_comes_with_the_timeout();
    }
}
REGISTER_TYPED_TEST_SUITE_P(AwaitMatrix, gets_a_value_that_is_there, gets_a_value_that_comes_later,
                            passes_a_failure_on, ends_when_it_is_cancelled,
                            loses_no_value_that_comes_with_the_timeout);

// The names of the sources, for the names of the tests.
struct SourceNames {
    template <class S>
    static std::string GetName(int /*index*/) {
        return S::name;
    }
};

}  // namespace gyre::await_matrix
