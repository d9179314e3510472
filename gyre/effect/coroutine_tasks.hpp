// SPDX-License-Identifier: Apache-2.0
// Spawned<T>: a task inside a run, for coroutine guests: spawn, join, cancel and yield. A function
// ends only after the tasks that it spawned; when it fails or is cancelled they are cancelled, and
// the failure of a task that was not joined fails it. A detached task may outlive the function that
// spawned it, until the run is cancelled.
//
//     Effectful<int> fetch_both() {
//         const auto child = co_await spawn(fetch_part(2));   // queued; does not run yet
//         const int mine = co_await fetch_part(1);
//         co_return mine + co_await join(child);
//     }
//
// Thread: the scheduler's, inside an Effectful only.
// Lifetime: a plain value; join it at most once.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/effect/coroutine_guest.hpp"

namespace gyre::effect {

// Thrown by `join`.
class TaskFailed : public Failure {
    using Failure::Failure;
};
class TaskCancelled : public Failure {
    using Failure::Failure;
};

template <class T>
struct Spawned {
    Capability capability = 0;
};

template <class T>
class [[nodiscard]] SpawnAwait {
public:
    SpawnAwait(Effectful<T> body, TaskHost::Spawn how) noexcept
        : body_(std::move(body)), how_(how) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> by) {
        auto body = reinterpret_cast<Continuation>(&std::move(body_).to_outermost());
        spawned_.capability = by.promise().visit().tasks.spawn(how_, body);
        return false;
    }
    [[nodiscard]] Spawned<T> await_resume() const noexcept { return spawned_; }

private:
    Effectful<T> body_;
    TaskHost::Spawn how_;
    Spawned<T> spawned_;
};
template <class T>
SpawnAwait<T> spawn(Effectful<T> body) noexcept {
    return {std::move(body), TaskHost::Spawn::attached};
}
template <class T>
SpawnAwait<T> spawn_detached(Effectful<T> body) noexcept {
    return {std::move(body), TaskHost::Spawn::detached};
}

template <class T>
class [[nodiscard]] JoinAwait {
public:
    explicit JoinAwait(Spawned<T> task) noexcept : task_(task) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> by) noexcept {
        by_ = &by.promise();
        by_->visit().step.capability = task_.capability;
        by_->leave(StepStatus::wait);
    }
    T await_resume() {
        const Visit& visit = by_->visit();
        const std::int64_t status = visit.answer.integer();
        if (status == 1) throw TaskFailed(visit.tasks.failure_message(task_.capability));
        if (status == 2) throw TaskCancelled("the task was cancelled");
        Value value = visit.tasks.take_value(task_.capability);
        if constexpr (!std::is_void_v<T>) return Codec<T>::from(std::move(value));
    }

private:
    Spawned<T> task_;
    EffectfulPromise* by_ = nullptr;
};
// Returns the value of the task, or throws TaskFailed or TaskCancelled.
template <class T>
JoinAwait<T> join(Spawned<T> task) noexcept {
    return JoinAwait<T>(task);
}

class [[nodiscard]] CancelTaskAwait {
public:
    explicit CancelTaskAwait(Capability task) noexcept : task_(task) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> by) {
        was_live_ = by.promise().visit().tasks.cancel(task_);
        return false;
    }
    // False when the task had ended.
    bool await_resume() const noexcept { return was_live_; }

private:
    Capability task_;
    bool was_live_ = false;
};
template <class T>
CancelTaskAwait cancel(Spawned<T> task) noexcept {
    return CancelTaskAwait(task.capability);
}

// Lets the other tasks of the run go first.
class [[nodiscard]] YieldOnce {
public:
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> by) noexcept {
        by.promise().leave(StepStatus::yield);
    }
    void await_resume() const noexcept {}
};
[[nodiscard]] inline YieldOnce yield_once() noexcept {
    return {};
}

}  // namespace gyre::effect
