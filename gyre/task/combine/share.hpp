// SPDX-License-Identifier: Apache-2.0
// share: makes a future that many may await, any number of times. It stays lazy: the future runs as
// a task of the root scope from the first await on, and is cancelled if the last copy is dropped
// before its end.
//
//     SharedFuture<Config> config = share(read_config());
//     use(co_await config);                     // const Config&: the first await reads it
//
// Thread: one executor's thread.
// Lifetime: copies share the result; it lives as long as one of them.
// Cancel: of an await did nothing; the others keep waiting.
#pragma once

#include <optional>
#include <utility>

#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre {

template <class T>
class SharedSource final : public PromiseSource {
public:
    SharedSource(PromiseState<T>& state, Future<T> future) noexcept
        : state_(state), future_(std::move(future)) {}

    void begin(Executor& executor) override {
        if (task_.has_value()) return;
        task_.emplace(executor.root().spawn(run(Promise<T>(state_), std::move(future_))));
        task_->set_name("a shared future");
    }
    void give_up() noexcept override {
        if (task_.has_value()) task_->cancel("nobody awaits it any more");
    }

private:
    // The promise goes before the task has ended: with it goes perhaps the last handle of the task.
    static Future<void> run(Promise<T> promise, Future<T> future) {
        Promise<T> mine = std::move(promise);
        co_await mine.settle_as(std::move(future));
    }

    PromiseState<T>& state_;
    Future<T> future_;
    std::optional<TaskHandle<void>> task_;
};

template <class T>
SharedFuture<T> share(Future<T> future) {
    auto* state = new PromiseState<T>;
    state->source = new SharedSource<T>(*state, std::move(future));
    SharedFuture<T> shared(*state);
    state->drop();
    return shared;
}

}  // namespace gyre
