// SPDX-License-Identifier: Apache-2.0
// A future that runs on when nobody waits for it any more: as a task of the scope that is given.
// For what shall not be cancelled when it loses:
//
//     co_await race(keep_running(scope, refill_cache()), fetch(url));
//     co_await timeout(keep_running(scope, save(draft)), 1s);
//
// It begins when it is awaited. While somebody waits, a failure is theirs; after that it is the
// scope's. Cancel class: did all; the future itself is not cancelled.
#pragma once

#include "gyre/task/promise.hpp"
#include "gyre/task/scope.hpp"

namespace gyre {

template <class T>
Future<void> settle_and_report(Future<T> future, Promise<T> promise) {
    try {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(future);
            promise.resolve();
        } else {
            promise.resolve(co_await std::move(future));
        }
    } catch (const Cancelled&) {
        promise.reject(std::current_exception());
        throw;
    } catch (...) {
        if (!promise.has_future()) throw;
        promise.reject(std::current_exception());
    }
}

template <class T>
[[nodiscard]] Future<T> keep_running(Scope& scope, Future<T> future) {
    GYRE_ASSERT(!future.has_captures(),
                "the lambda that this future is of may be gone when it runs on: use a function");
    Promise<T> promise;
    auto outcome = promise.future();
    scope.spawn(settle_and_report<T>, std::move(future), std::move(promise));
    co_return co_await std::move(outcome);
}

}  // namespace gyre
