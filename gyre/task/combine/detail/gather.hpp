// SPDX-License-Identifier: Apache-2.0
// Gather: the base of all, race, any and timeout. Runs futures as tasks in a scope of its own, and
// cancels the rest as soon as its rule says that the result is decided. Lives in the frame of a
// combinator's coroutine and belongs to its task.
//
//     Task& owner = co_await this_task();
//     Gather gather(owner, "race", [](const Tally&) noexcept { return true; });
//     auto tasks = gather.start_all(futures);
//     co_await gather.decided();
//
// A combinator ends only when its last task has ended, on every path. Its cancel class: a request
// is passed on to every future that has not ended, each with its own class; a result that was
// decided before stands, and the request is delivered at the next await.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/task/core/scope.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre {

// The element type of a range. Without the header <ranges>, which would take a third of the compile
// time that async.hpp may take.
template <class R>
using HeldBy = std::remove_cvref_t<decltype(*std::begin(std::declval<R&>()))>;
template <class R>
concept AwaitableRange = requires(R& range) { std::end(range); } && Awaitable<HeldBy<R>>;
// The value type of the awaitables of a range.
template <AwaitableRange R>
using GivenBy = AwaitValue<HeldBy<R>>;
// A value in a tuple or a pair: Unit for void.
template <class T>
using Kept = std::conditional_t<std::is_void_v<T>, Unit, T>;

struct Tally {
    std::size_t left = 0;  // not yet ended
    std::size_t good = 0;  // with a value
    std::size_t failed = 0;
};

class Gather final : private ScopeWatcher {
public:
    // Called after each end. Once it is true, the others are cancelled.
    using Rule = bool (*)(const Tally& tally) noexcept;

    Gather(Task& owner, const char* name, Rule is_decided) noexcept
        : scope_(owner.executor(), &owner, {.name = name, .cancels_on_failure = false}),
          is_decided_(is_decided) {
        scope_.set_watcher(*this);
    }

    template <class T>
    TaskHandle<T> start(Future<T> future) {
        GYRE_ASSERT(decider_ == nullptr, "start all futures before the first of them ends");
        ++tally_.left;
        return scope_.spawn_joined(std::move(future));
    }
    // The same, but it runs at once, up to its end or its first wait. `decide` follows the last one:
    // the rule is not asked before.
    template <class T>
    TaskHandle<T> begin(Future<T> future) {
        is_beginning_ = true;
        ++tally_.left;
        return scope_.begin_joined(std::move(future));
    }
    void decide() noexcept;
    template <AwaitableRange R>
    auto start_all(R& range) {
        std::vector<TaskHandle<GivenBy<R>>> tasks;
        if constexpr (requires { std::size(range); }) tasks.reserve(std::size(range));
        for (auto& awaitable : range) tasks.push_back(start(as_future(std::move(awaitable))));
        return tasks;
    }
    // The caller reads every outcome, also of tasks that end after the decision: their failures are
    // not logged.
    void set_all_seen() noexcept { is_all_seen_ = true; }
    void set_deadline(Instant when) noexcept { scope_.set_deadline(when); }

    // Both wait for the end of all; then `decided` throws if the deciding task has failed.
    [[nodiscard]] Future<void> ended() { return scope_.all_ended(); }
    [[nodiscard]] Future<void> decided();

    [[nodiscard]] const Tally& tally() const noexcept { return tally_; }
    // Whether the end of this task decided the result.
    template <class T>
    [[nodiscard]] bool is_decided_by(const TaskHandle<T>& task) const noexcept {
        return decider_ == &task.task();
    }
    template <class T>
    [[nodiscard]] TaskHandle<T>& decider_of(std::vector<TaskHandle<T>>& tasks) const noexcept {
        GYRE_ASSERT(decider_ != nullptr, "no task has decided yet: await ended() first");
        std::size_t place = 0;
        while (place < tasks.size() && &tasks[place].task() != decider_) ++place;
        GYRE_ASSERT(place < tasks.size(), "the deciding task is not one of these");
        return tasks[place];
    }

private:
    void on_ended(const Task& task, std::exception_ptr failure) noexcept override;

    Scope scope_;
    Tally tally_;
    const Rule is_decided_;
    const Task* decider_ = nullptr;
    std::exception_ptr failure_;  // of the decider
    bool is_all_seen_ = false;
    bool is_beginning_ = false;
};

// Takes the value of an outcome that has one.
template <class T>
Kept<T> take_kept(Outcome<T>& outcome) {
    if constexpr (std::is_void_v<T>) {
        return {};
    } else {
        return outcome.take();
    }
}

}  // namespace gyre
