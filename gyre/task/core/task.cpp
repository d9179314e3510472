// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/task.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include "gyre/base/log.hpp"
#include "gyre/task/core/detail/coroutine.hpp"
#include "gyre/task/core/internal/function_name.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/canceller.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre {

void Task::prepare_cancels() noexcept {
    static_cast<void>(bare_cancelled());
}

void Task::drop_rare() noexcept {
    if (rare_part()->wake_cell != nullptr) {
        rare_part()->wake_cell->detach();
        rare_part()->wake_cell->drop();
    }
    if (rare_part()->poller != nullptr) rare_part()->poller->drop();
    if (rare_part()->cancel_cell != nullptr) rare_part()->cancel_cell->on_task_gone();
    if (rare_part()->is_daemon) leave_ending_daemons();
    delete rare_part();
}

Task::Rare& Task::rare() {
    if (!has_rare()) home_ = reinterpret_cast<std::uintptr_t>(new Rare(scope())) + rare_mark;
    return *rare_part();
}

Task::Trail& Task::begin_trail(const std::exception_ptr& failure) {
    rare().trail = std::make_unique<Trail>(Trail{.of = failure, .from = {}, .places = {}});
    return *rare_part()->trail;
}

void Task::pass_trail_on(Task& to) const {
    const std::exception_ptr why = failure();
    if (why == nullptr || to.trail_of(why) != nullptr) return;
    const Trail* const mine = trail_of(why);
    Trail& trail = to.begin_trail(why);
    trail.from = mine == nullptr || mine->from.empty() ? name() : mine->from;
    if (mine != nullptr) trail.places = mine->places;
    for (const PromiseBase* at = to.leaf_; at != nullptr; at = at->parent()) {
        trail.places.push_back(at->where());
    }
}

std::string Task::name() const {
    CancelReason::Text name;
    append_name(name);
    return name;
}

void Task::append_name(CancelReason::Text& text) const noexcept {
    if (has_rare() && !rare_part()->name.empty()) {
        text.append(rare_part()->name);
        return;
    }
    std::array<char, std::numeric_limits<std::uint32_t>::digits10 + 1> number{};
    char* const end = std::to_chars(number.data(), number.data() + number.size(), id_).ptr;
    text.append("task ").append(std::string_view(number.data(), end));
}

void Task::set_name(std::string name) {
    rare().name = std::move(name);
    Observer* observer = executor().loop().observer();
    if (has_started_ && observer != nullptr) {
        observer->on_task(TaskEvent::named, id_, rare_part()->name);
    }
}

void Task::cancel(CancelReason reason) noexcept {
    if (is_cancel_refused()) return;
    const Task* const asking = executor().current();
    if (reason.who.empty() && asking != nullptr) asking->append_name(reason.who);
    cancel_with(make_cancelled(std::move(reason)));
}

void Task::cancel_with(const std::exception_ptr& cancelled) noexcept {
    if (is_cancel_refused()) return;
    GYRE_ASSERT(cancelled != nullptr, "task %u is cancelled without a Cancelled", id_);
    cancelled_ = cancelled;
    set_cancel(Cancel::requested);
    if (has_rare() && rare_part()->is_daemon) end_daemon("it is cancelled already");
    if (!is_cancel_due()) return;
    tell_cancel_cell();
    if (state() == TaskState::waiting) waits_on_->cancel();
}

void Task::tell_cancel_cell() noexcept {
    if (has_rare() && rare_part()->cancel_cell != nullptr) rare_part()->cancel_cell->request_stop();
}

bool Task::is_own_cancel(const std::exception_ptr& failure) const noexcept {
    if (!is_cancelled(failure)) return false;
    // A request that is due is delivered by the first Cancelled, whoever made it.
    if (cancel_ == Cancel::requested) return true;
    if (cancel_ == Cancel::none) return false;
    return failure == cancelled_;
}

// A daemon that has to end is a task like any other: somebody may wait for it.
void Task::end_daemon(const char* why) noexcept {
    rare().is_background = false;
    if (!std::exchange(rare().is_ending_daemon, true)) executor().count_ending_daemon(1);
    // A second request would be delivered to its clean-up.
    if (!is_cancel_requested()) cancel(why);
}

void Task::leave_ending_daemons() noexcept {
    if (!has_rare()) return;
    const bool is_counted = std::exchange(rare_part()->is_ending_daemon, false);
    if (is_counted) executor().count_ending_daemon(-1);
}

bool Task::was_cancelled() const noexcept {
    // Compares types only: the Cancelled may be that of any of several requests.
    return is_cancel_requested() && is_cancelled(failure());
}

void Task::wake_poller() noexcept {
    GYRE_ASSERT(rare_part()->poller != nullptr, "a polled task waits only inside a poll");
    rare_part()->poller->wake();
}

WakeCell& Task::wake_cell() {
    Rare& mine = rare();
    if (mine.wake_cell == nullptr) mine.wake_cell = new WakeCell(executor());
    return *mine.wake_cell;
}

CancelCell& Task::cancel_cell() {
    Rare& mine = rare();
    if (mine.cancel_cell == nullptr) mine.cancel_cell = new CancelCell(*this);
    return *mine.cancel_cell;
}

Canceller Task::canceller() {
    return Canceller(cancel_cell());
}

void Task::start_polled() {
    GYRE_ASSERT(!has_started_, "a task that has started cannot be polled");
    is_polled_ = true;
    has_handle_ = true;
    scope().adopt(*this);
}

bool Task::poll(WakeCell& poller) {
    GYRE_ASSERT(executor().is_here(), "poll a future on the thread on which it was first polled");
    GYRE_ASSERT(state() != TaskState::running, "a future polls itself: poll it from outside");
    Rare& mine = rare();
    if (mine.poller != &poller) {
        poller.share();
        if (mine.poller != nullptr) mine.poller->drop();
        mine.poller = &poller;
    }
    if (state() == TaskState::ready) executor().resume_polled(*this);
    return state() == TaskState::completed;
}

void Task::drop_polled() {
    GYRE_ASSERT(state() != TaskState::running, "a future is dropped by the code that it runs");
    has_handle_ = false;
    if (state() == TaskState::completed) {
        destroy();
        return;
    }
    is_polled_ = false;
    if (state() == TaskState::ready) make_ready();
    cancel("its future was dropped");
}

void Task::abandon() noexcept {
    GYRE_ASSERT(state() != TaskState::running, "task %u runs while its executor is destroyed", id_);
    if (state() == TaskState::waiting) waits_on_->abandon();
    end_unstarted(std::make_exception_ptr(Cancelled("its executor went before it ended")));
    status_ = TaskState::completed;
    has_handle_ ? release() : destroy();
}

void Suspension::go_last(std::coroutine_handle<> by) noexcept {
    PromiseBase::of(by).go_last();
}

void Task::deliver_cancel() {
    GYRE_ASSERT(cancel_ == Cancel::requested, "a cancel is delivered without a request");
    set_cancel(Cancel::delivered);
    is_wait_cancelled_ = false;
    leave_ending_daemons();
    tell_cancel_cell();  // It was shielded when the request came.
    std::rethrow_exception(cancelled_);
}

namespace {
// Coroutines that this thread is destroying before their end, one inside the other.
thread_local int destroyed_early = 0;
}  // namespace

void PromiseBase::report_unawaited() const noexcept {
    if (destroyed_early > 0 || std::uncaught_exceptions() > 0) return;
    const std::source_location where = this->where();
    if (where.line() == 0) {
        log(LogLevel::warn,
            "the future of a lambda with captures was never awaited: co_await it, spawn it, or "
            "drop() it");
        return;
    }
    const std::string name(plain_function_name(where.function_name()));
    log(LogLevel::warn,
        "the future of %s (%s:%u) was never awaited: co_await it, spawn it, or drop() it",
        name.c_str(), where.file_name(), where.line());
}

void PromiseBase::destroy_quietly() noexcept {
    ++destroyed_early;
    handle().destroy();
    --destroyed_early;
}

std::exception_ptr PromiseBase::current_exception() noexcept {
    std::exception_ptr exception = std::current_exception();
    GYRE_ASSERT(exception != nullptr, "ask for the exception of a coroutine inside its catch");
    note_failure();
    // The way of its own cancel is not reported, and a cancel must not cost memory for each task.
    if (task_->cancelled_ == exception || task_->trail_of(exception) != nullptr) return exception;
    try {
        Task::Trail& trail = task_->begin_trail(exception);
        for (const PromiseBase* at = this; at != nullptr; at = at->parent()) {
            trail.places.push_back(at->where());
        }
    } catch (const std::bad_alloc&) {
        return exception;  // without its way
    }
    return exception;
}

}  // namespace gyre
