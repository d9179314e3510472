// SPDX-License-Identifier: Apache-2.0
// The kinds of exceptions that functions of the user throw in the tests of boundaries.
#pragma once

#include <array>
#include <chrono>
#include <new>
#include <stdexcept>

#include "gyre/task/core/cancel.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre::test {

enum class Thrown { standard, other, bad_alloc, destructor, foreign_cancelled, own_cancelled };
inline constexpr std::array<Thrown, 6> all_thrown = {
    Thrown::standard,          Thrown::other,        Thrown::bad_alloc, Thrown::destructor,
    Thrown::foreign_cancelled, Thrown::own_cancelled};

struct ThrowsWhenDestroyed {
    ~ThrowsWhenDestroyed() noexcept(false) { throw std::runtime_error("thrown by a destructor"); }
};

// In a function that is no coroutine; both kinds of Cancelled are the same there.
inline void throw_now(Thrown thrown) {
    switch (thrown) {
        case Thrown::standard:
            throw std::runtime_error("thrown");
        case Thrown::other:
            throw 7;
        case Thrown::bad_alloc:
            throw std::bad_alloc();
        case Thrown::destructor: {
            const ThrowsWhenDestroyed thrower;
            return;
        }
        case Thrown::foreign_cancelled:
        case Thrown::own_cancelled:
            throw Cancelled(CancelReason("of another task"));
    }
}

inline Future<void> throw_later(Thrown thrown) {
    if (thrown == Thrown::own_cancelled) {
        Task& task = co_await this_task();
        task.cancel("by itself");
        co_await cancel_point();
    }
    if (thrown == Thrown::foreign_cancelled) {
        auto body = [](Scope& scope) -> Future<void> {
            auto child =
                scope.spawn([]() -> Future<void> { co_await sleep(std::chrono::hours(1)); });
            child.cancel("no longer needed");
            co_await child;
        };
        co_await with_scope(std::move(body));
    }
    throw_now(thrown);
}

}  // namespace gyre::test
