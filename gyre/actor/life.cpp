// SPDX-License-Identifier: Apache-2.0
// The life of an actor: how it starts, fails, is replaced and ends.
#include <algorithm>
#include <utility>

#include "gyre/actor/answer.hpp"
#include "gyre/actor/cell.hpp"
#include "gyre/actor/host.hpp"
#include "gyre/actor/work.hpp"
#include "gyre/base/log.hpp"
#include "gyre/task/sleep.hpp"
#include "gyre/task/task_report.hpp"

namespace gyre::actor {

// ---- starting and stopping

void Cell::start_here() {
    if (host_->is_stopping()) return end_unborn();
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

// Spawned from another loop: its messages come behind.
void Cell::start() noexcept {
    if (host_->is_stopping()) return end_unborn();
    host_->adopt(*this);
    holds_ &= static_cast<std::uint8_t>(~unmade);
    try {
        construct();
    } catch (...) {
        fail(std::current_exception());
    }
}

// Its loop takes no actors any more.
void Cell::end_unborn() noexcept {
    life_.store(Life::ended, std::memory_order_release);
    if (name_ != nullptr) host_->system().remove_name(*name_);
    if (parent_) send(new Signal(SignalKind::child_ended, *parent_.cell(), AnyRef(*this)));
}

void Cell::begin_stop(Life how) noexcept {
    if (life() >= how) return;
    // Release: pairs with the look of senders on other threads.
    life_.store(how, std::memory_order_release);
    drop_posters();
    cancel_works(how == Life::draining);
    if (how == Life::stopping) drop_mail();
    if (rare_ != nullptr) rare_->is_children_told = false;
    schedule();
}

void Cell::end_with(std::exception_ptr failure) noexcept {
    rare().failure = std::move(failure);
    begin_stop(Life::stopping);
}

void Cell::drop_mail() noexcept {
    if (rare_ != nullptr) {
        rare_->stashed_count = 0;
        mail_.push_all_front(rare_->stashed);
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
    if ((holds_ & restarting) != 0) return;  // Another handler of the object that goes.
    Rare& mine = rare();
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
    const RestartOptions& options = rare_->restart;
    Duration delay = options.back_off;
    for (std::uint32_t i = 1; i < rare_->window_count && delay < options.back_off_max; ++i) {
        delay *= 2;
    }
    return std::min(delay, options.back_off_max);
}

// The old object has nothing under way any more.
void Cell::replace_object() noexcept {
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
    ++rare_->restart_count;
    rare_->is_children_told = false;
    try {
        construct();
        schedule();
    } catch (...) {
        fail(std::current_exception());
    }
}

// ---- ending

// What is to happen when what it waits for has ended. True: it has ended, and may be gone.
bool Cell::advance() noexcept {
    if ((holds_ & unmade) != 0 || !works_.empty()) return false;
    const bool is_restarting = (holds_ & restarting) != 0 && life() != Life::stopping;
    if (life() == Life::draining && !is_restarting && !mail_.empty()) return false;
    if (rare_ != nullptr && !rare_->children.empty()) {
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
    if (rare_ == nullptr || std::exchange(rare_->is_children_told, true)) return;
    const std::vector<AnyRef> children = rare_->children;  // Telling one may change the list.
    for (const AnyRef& child : children) send(new Signal(how, *child.cell()));
}

void Cell::forget_child(Cell& child) noexcept {
    auto& children = rare_->children;
    const std::uint32_t index = child.child_index_;
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
    if (object_ != nullptr) destruct();
    // Release: pairs with the look of others.
    life_.store(Life::ended, std::memory_order_release);
    drop_mail();
    while (!urgent_.empty()) urgent_.pop().drop(*this, Lost::ended);
    if (name_ != nullptr) host_->system().remove_name(*name_);
    const std::exception_ptr failure = end_failure();
    if (rare_ != nullptr) {
        for (const Watcher& watcher : std::exchange(rare_->watchers, {})) {
            tell_watcher(watcher.who, watcher.tell, Terminated{AnyRef(*this), failure});
        }
        for (const AnyRef& other : std::exchange(rare_->links, {})) {
            tell_linked(other, AnyRef(*this), failure);
        }
        while (Op* waiter = rare_->end_waiters.pop_front()) {
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
    host_->remove(*this);
}

// Its loop goes without another turn: only what it holds is given back.
void Cell::abandon() noexcept {
    life_.store(Life::stopping, std::memory_order_release);
    drop_posters();
    drop_mail();
    end();
}

void Cell::tell_end(Acknowledgement& waiter) noexcept {
    if (life() == Life::ended) return waiter.resolve();
    auto& waiters = rare().end_waiters;
    // Those who wait for a while, again and again, must not pile up.
    while (auto* first = static_cast<Acknowledgement*>(waiters.front())) {
        if (!first->is_left()) break;
        static_cast<void>(waiters.pop_front());
        first->resolve();
    }
    waiters.push_back(waiter);
}

// ---- for the actor itself

void Cell::add_child(Cell& child) {
    auto& children = rare().children;
    child.child_index_ = static_cast<std::uint32_t>(children.size());
    children.emplace_back(child);
}

}  // namespace gyre::actor
