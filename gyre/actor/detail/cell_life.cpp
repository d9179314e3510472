// SPDX-License-Identifier: Apache-2.0
// The life cycle of a Cell: how its actor starts, fails, is restarted and ends.
#include "gyre/actor/detail/cell.hpp"

#include <algorithm>
#include <utility>

#include "gyre/actor/detail/actor_host.hpp"
#include "gyre/actor/detail/reply.hpp"
#include "gyre/actor/internal/cell_extras.hpp"
#include "gyre/actor/internal/signal.hpp"
#include "gyre/actor/internal/system_state.hpp"
#include "gyre/actor/internal/timer_task.hpp"
#include "gyre/base/log.hpp"
#include "gyre/task/core/detail/task_report.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::actor {

// ---- starting and stopping

void Cell::start_here() {
    if (host_->is_stopping()) return end_unstarted();
    GYRE_ASSERT((holds_ & unmade) != 0, "an actor starts once: this one has an object already");
    host_->adopt(*this);
    holds_ &= static_cast<std::uint8_t>(~unmade);
    try {
        construct();
    } catch (...) {
        life_.store(Life::ended, std::memory_order_release);
        host_->remove(*this);
        throw;
    }
}

// Spawned from another loop: its messages arrive after the start signal.
void Cell::start() noexcept {
    if (host_->is_stopping()) return end_unstarted();
    GYRE_ASSERT((holds_ & unmade) != 0, "an actor starts once: this one has an object already");
    host_->adopt(*this);
    holds_ &= static_cast<std::uint8_t>(~unmade);
    try {
        construct();
    } catch (...) {
        fail(std::current_exception());
    }
}

// Its loop is stopping and takes no new actors.
void Cell::end_unstarted() noexcept {
    life_.store(Life::ended, std::memory_order_release);
    if (name_ != nullptr) host_->system().remove_name(*name_);
    if (parent_) send(new Signal(SignalKind::child_ended, *parent_.cell(), AnyRef(*this)));
}

void Cell::begin_stop(Life how) noexcept {
    if (life() >= how) return;
    // Release: pairs with the load of senders on other threads.
    life_.store(how, std::memory_order_release);
    drop_posters();
    cancel_works(how == Life::draining);
    if (how == Life::stopping) drop_mail();
    if (extras_ != nullptr) extras_->is_children_told = false;
    schedule();
}

void Cell::end_with(std::exception_ptr failure) noexcept {
    extras().failure = std::move(failure);
    begin_stop(Life::stopping);
}

void Cell::drop_mail() noexcept {
    if (extras_ != nullptr) {
        extras_->stashed_count = 0;
        mail_.push_all_front(extras_->stashed);
    }
    set_length(0);
    while (!mail_.empty()) lose(mail_.pop(), Lost::ended);
}

// ---- failing

void Cell::fail(std::exception_ptr failure) noexcept {
    ++failed_count_;
    if (life() >= Life::stopping) return;
    const std::string why = TaskReport::text_of(failure);
    if (on_failure_ == OnFailure::resume) {
        log(LogLevel::warn, "actor '%s' failed and goes on: %s", name().c_str(), why.c_str());
    } else if (on_failure_ == OnFailure::restart && life() == Life::open) {
        begin_restart(std::move(failure), why);
    } else {
        is_escalating_ = on_failure_ == OnFailure::escalate;
        log(is_escalating_ ? LogLevel::info : LogLevel::error, "actor '%s' failed and stops: %s",
            name().c_str(), why.c_str());
        end_with(std::move(failure));
    }
}

void Cell::begin_restart(std::exception_ptr failure, const std::string& why) noexcept {
    if ((holds_ & restarting) != 0) return;  // Another handler of the failed object.
    Extras& mine = extras();
    const Instant now = host_->executor().now();
    if (mine.window_count == 0 || now - mine.window_start > mine.restart.within) {
        mine.window_start = now;
        mine.window_count = 0;
    }
    if (mine.window_count == mine.restart.count_max) {
        log(LogLevel::error, "actor '%s' failed %u times in a row and stops: %s", name().c_str(),
            mine.window_count + 1, why.c_str());
        end_with(std::move(failure));
        return;
    }
    ++mine.window_count;
    log(LogLevel::warn, "actor '%s' failed and is restarted: %s", name().c_str(), why.c_str());
    holds_ |= restarting;
    cancel_works(false);
    stop_children(SignalKind::stop_now);
    schedule();
}

Duration Cell::back_off_delay() const noexcept {
    const RestartOptions& options = extras_->restart;
    Duration delay = options.back_off;
    for (std::uint32_t i = 1; i < extras_->window_count && delay < options.back_off_max; ++i) {
        delay *= 2;
    }
    return std::min(delay, options.back_off_max);
}

// The old object has no running handlers or timers left.
void Cell::replace_object() noexcept {
    GYRE_ASSERT(works_.empty(), "wait for the handlers of the failed object before replacing it");
    if (object_ != nullptr) destruct();
    const Duration delay = back_off_delay();
    if (delay <= Duration(0)) {
        restart_now();
        return;
    }
    scope().begin_now(*new TimerTask(*this, back_off_timer, back_off(*this, delay)));
}

Future<void> Cell::back_off(Cell& cell, Duration delay) {
    co_await sleep(delay);
    cell.restart_now();
}

void Cell::restart_now() noexcept {
    holds_ &= static_cast<std::uint8_t>(~restarting);
    ++extras_->restart_count;
    extras_->is_children_told = false;
    try {
        construct();
        schedule();
    } catch (...) {
        fail(std::current_exception());
    }
}

// ---- ending

bool Cell::advance() noexcept {
    if ((holds_ & unmade) != 0 || !works_.empty()) return false;
    const bool is_restarting = (holds_ & restarting) != 0 && life() != Life::stopping;
    if (life() == Life::draining && !is_restarting && !mail_.empty()) return false;
    if (extras_ != nullptr && !extras_->children.empty()) {
        if (!is_restarting) {
            stop_children(life() == Life::draining ? SignalKind::stop : SignalKind::stop_now);
        }
        return false;
    }
    if (!is_restarting) {
        end();
        return true;
    }
    replace_object();
    return life() != Life::open && advance();
}

void Cell::stop_children(SignalKind how) noexcept {
    if (extras_ == nullptr || std::exchange(extras_->is_children_told, true)) return;
    const std::vector<AnyRef> children = extras_->children;  // Telling one may change the list.
    for (const AnyRef& child : children) send(new Signal(how, *child.cell()));
}

void Cell::forget_child(Cell& child) noexcept {
    auto& children = extras_->children;
    const std::uint32_t index = child.child_index_;
    GYRE_ASSERT(index < children.size(), "only a child of this actor can be forgotten");
    GYRE_ASSERT(children[index].cell() == &child, "the child has another index than its parent");
    children.back().cell()->child_index_ = index;
    std::swap(children[index], children.back());
    children.pop_back();
}

void Cell::child_ended(Signal& signal) noexcept {
    forget_child(*signal.who.cell());
    if (signal.failure != nullptr) fail(std::move(signal.failure));
    if (life() != Life::open || (holds_ & restarting) != 0) schedule();
}

void Cell::end() noexcept {
    GYRE_ASSERT(life() != Life::ended, "an actor ends once");
    if (object_ != nullptr) destruct();
    // Release: pairs with the load in life() on other threads.
    life_.store(Life::ended, std::memory_order_release);
    drop_mail();
    while (!urgent_.empty()) urgent_.pop().drop(*this, Lost::ended);
    if (name_ != nullptr) host_->system().remove_name(*name_);
    const std::exception_ptr failure = end_failure();
    if (extras_ != nullptr) {
        for (const Extras::Watcher& watcher : std::exchange(extras_->watchers, {})) {
            tell_watcher(watcher.who, watcher.tell, Terminated{AnyRef(*this), failure});
        }
        for (const AnyRef& other : std::exchange(extras_->links, {})) {
            tell_linked(other, AnyRef(*this), failure);
        }
        while (Op* waiter = extras_->end_waiters.pop_front()) {
            static_cast<Acknowledgement*>(waiter)->resolve();
        }
    }
    if (parent_) {
        auto* signal = new Signal(SignalKind::child_ended, *parent_.cell(), AnyRef(*this));
        if (is_escalating_) signal->failure = failure;
        send(signal);
    } else if (is_escalating_) {
        host_->fail(failure);
    }
    GYRE_ASSERT(mail_.empty(), "an actor that has ended must not keep messages: drop them");
    host_->remove(*this);
}

// Its loop is destroyed without another turn: releases the resources, runs no handler.
void Cell::abandon() noexcept {
    life_.store(Life::stopping, std::memory_order_release);
    drop_posters();
    drop_mail();
    end();
}

void Cell::tell_end(Acknowledgement& waiter) noexcept {
    if (life() == Life::ended) return waiter.resolve();
    auto& waiters = extras().end_waiters;
    // Removes cancelled waiters: waiting with a timeout in a loop must not grow the queue.
    while (auto* first = static_cast<Acknowledgement*>(waiters.front())) {
        if (!first->is_abandoned()) break;
        static_cast<void>(waiters.pop_front());
        first->resolve();
    }
    waiters.push_back(waiter);
}

// ---- for the actor itself

void Cell::add_child(Cell& child) {
    auto& children = extras().children;
    child.child_index_ = static_cast<std::uint32_t>(children.size());
    children.emplace_back(child);
}

}  // namespace gyre::actor
