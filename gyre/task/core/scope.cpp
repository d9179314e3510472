// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/scope.hpp"

#include <algorithm>

#include "gyre/base/log.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/detail/task_report.hpp"
#include "gyre/task/core/task.hpp"

namespace gyre {
namespace {

// Whether both are the same failure: a body that awaits a failed task rethrows its exception.
bool is_same(const std::exception_ptr& one, const std::exception_ptr& other) {
    return one == other || TaskReport::text_of(one) == TaskReport::text_of(other);
}

constexpr const char* daemons_end = "only daemons are left in its scope";

}  // namespace

// Waits until the last task has ended. A cancel is passed on to the tasks; the wait goes on, and
// the request is delivered after it.
class Scope::AllEnded final : public Suspension {
public:
    AllEnded(PromiseBase& promise, Scope& scope) noexcept : scope_(scope) { attach(promise); }
    [[nodiscard]] bool await_ready() noexcept {
        if (begin()) {
            cancel();
            forget_cancel();
        }
        return scope_.task_count_ == 0;
    }
    void await_suspend(std::coroutine_handle<> by) noexcept {
        GYRE_ASSERT(scope_.joiner_ == nullptr, "scope %s is joined by two tasks: let one join it",
                    scope_.options_.name);
        scope_.joiner_ = this;
        wait(by);
        if (scope_.has_only_daemons()) scope_.end_daemons();
    }
    void await_resume() const noexcept {}

    // The tasks get the Cancelled of their owner: a second report would cost memory for each scope.
    void cancel() noexcept override {
        const Task* const owner = scope_.owner_;
        if (owner == nullptr) return scope_.cancel("the owner of its scope is cancelled");
        scope_.is_cancelled_ = true;
        scope_.needs_care_ = true;
        scope_.cancelled_ = owner->cancelled_;
        const auto ask = [this](Task& task) { task.cancel_with(scope_.cancelled_); };
        scope_.waiting_.for_each(ask);
        scope_.tasks_.for_each(ask);
    }
    [[nodiscard]] const char* what() const noexcept override { return "the tasks of a scope"; }
    using Suspension::wake;

private:
    Scope& scope_;
};
struct Scope::WaitForAll {
    Scope& scope;
    auto await_in(PromiseBase& promise) const noexcept { return AllEnded(promise, scope); }
};

Scope::Scope(Executor& executor, Task* owner, ScopeOptions options) noexcept
    : executor_(executor),
      owner_(owner),
      trace_id_(owner == nullptr ? 0 : owner->trace_id()),
      options_(options),
      has_limit_(options.concurrency_max != std::numeric_limits<std::size_t>::max()),
      is_background_(owner != nullptr && owner->is_background()),
      needs_care_(has_limit_ || is_background_) {
    GYRE_ASSERT(options.name != nullptr, "a scope got no name: leave it out for the default");
    GYRE_ASSERT(options.concurrency_max > 0,
                "scope %s has a concurrency_max of 0: none of its tasks would begin", options.name);
    executor_.scopes_.push_back(*this);
}

Scope::~Scope() {
    // Tasks are left only if the executor, or the task that would join them, is destroyed first.
    const bool is_left_by_owner = owner_ != nullptr && executor_.current() == owner_;
    GYRE_ASSERT(task_count_ == 0 || !is_left_by_owner,
                "scope %s is destroyed while %zu of its tasks run: await join() first, or use "
                "with_scope",
                options_.name, task_count_);
    while (Task* task = tasks_.take_front()) task->abandon();
    while (Task* task = waiting_.take_front()) task->abandon();
    unlink();
}

void Scope::add_with_care(Task& task) {
    if (is_background_) task.rare().is_background = true;
    if (is_cancelled_) task.cancel_with(cancelled_);
    if (begun_count() > options_.concurrency_max) {
        ++waiting_count_;
        waiting_.push_fresh(task);
        return;
    }
    tasks_.push_fresh(task);
    task.make_ready();
}

void Scope::spawn_clean_up(Future<void>&& future) {
    Task& task = *new TaskBlock<void>(*this, std::move(future));
    task.enter_shield();
    add(task);
}

void Scope::make_daemon(Task& task) {
    task.rare().is_daemon = true;
    task.rare().is_background = true;
    ++daemon_count_;
    if (are_daemons_ending_ || task.is_cancel_requested()) task.end_daemon(daemons_end);
}

void Scope::adopt(Task& task) noexcept {
    ++task_count_;
    if (is_background_) task.rare().is_background = true;
    tasks_.push_fresh(task);
}

void Scope::begin_now(Task& task) noexcept {
    adopt(task);
    executor_.resume_polled(task);
}

bool Scope::begin_kept(Task& task) noexcept {
    task.has_handle_ = true;
    begin_now(task);
    task.has_handle_ = false;
    return task.state() == TaskState::completed;
}

void Scope::wake_joiner() noexcept {
    std::exchange(joiner_, nullptr)->wake();
}

void Scope::end_daemons() noexcept {
    const bool is_ending = joiner_ != nullptr || ends_with_others_;
    if (!is_ending || std::exchange(are_daemons_ending_, true)) return;
    const auto ask = [](Task& task) { task.end_daemon(daemons_end); };
    waiting_.for_each(ask);
    tasks_.for_each(ask);
}

void Scope::on_failed(Task& task) noexcept {
    // The failure of a polled future is thrown by the poll.
    if (task.is_polled_ || task.was_cancelled()) return;
    std::exception_ptr failure = task.failure();
    if (failure == nullptr) return;
    try {
        report_failure(task, failure);
    } catch (const std::bad_alloc&) {
        log(LogLevel::error, "task %u failed, and there is no memory for the report", task.id());
    }
    if (!options_.cancels_on_failure || failure_ != nullptr) return;
    failure_ = std::move(failure);
    cancel("another task of its scope failed");
}

void Scope::report_failure(Task& task, const std::exception_ptr& failure) {
    const bool is_told = this == executor_.root_.get() && executor_.failure_sink_;
    if (is_told) executor_.failure_sink_(TaskReport::failure(task, failure));
    // What is thrown in the owner: the first failure, or else that of the body.
    const bool is_thrown = options_.cancels_on_failure ? failure_ == nullptr : &task == body_;
    if (is_thrown && owner_ != nullptr) task.pass_trail_on(*owner_);
    if (options_.cancels_on_failure && failure_ == nullptr) return;
    // Only the first failure is thrown; without a throw it is visible through the handle.
    const bool is_seen = failure_ == nullptr ? task.is_watched() : is_same(failure, failure_);
    if (!is_told && !is_seen && watcher_ == nullptr) TaskReport::log_unseen(task, failure);
}

void Scope::tell_watcher(const Task& task) noexcept {
    watcher_->on_ended(task, task.failure());
}

void Scope::begin_next_after(const Task& task) noexcept {
    if (&task == body_) body_ = nullptr;
    if (waiting_count_ == 0 || begun_count() >= options_.concurrency_max) return;
    --waiting_count_;
    Task& next = *waiting_.take_front();
    tasks_.push_fresh(next);
    next.make_ready();
}

void Scope::cancel(CancelReason reason) noexcept {
    is_cancelled_ = true;
    needs_care_ = true;
    if (reason.who.empty()) reason.who.append("scope ").append(options_.name);
    cancelled_ = make_cancelled(std::move(reason));
    const auto ask = [this](Task& task) { task.cancel_with(cancelled_); };
    waiting_.for_each(ask);
    tasks_.for_each(ask);
}

Instant Scope::deadline() const noexcept {
    Instant nearest = Instant::never();
    for (const Scope* scope = this; scope != nullptr;
         scope = scope->owner_ == nullptr ? nullptr : &scope->owner_->scope()) {
        nearest = std::min(nearest, scope->deadline_);
    }
    return nearest;
}

Future<void> Scope::all_ended() {
    co_await WaitForAll{*this};
}

Future<void> Scope::join() {
    co_await WaitForAll{*this};
    while (!exits_.empty()) {
        auto clean_up = std::move(exits_.back());
        exits_.pop_back();
        try {
            co_await shield(clean_up());
        } catch (...) {
            if (failure_ == nullptr) {
                failure_ = std::current_exception();
            } else {
                log(LogLevel::error, "a clean-up of scope %s failed too: %s", options_.name,
                    TaskReport::text_of(std::current_exception()).c_str());
            }
        }
    }
    co_await cancel_point();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
}

}  // namespace gyre
