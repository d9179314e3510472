// SPDX-License-Identifier: Apache-2.0
// The signals of a Cell: starts, stops, watches and links.
#include "gyre/actor/detail/cell.hpp"

#include <memory>
#include <utility>

#include "gyre/actor/detail/actor_host.hpp"
#include "gyre/actor/detail/wire.hpp"
#include "gyre/actor/internal/cell_extras.hpp"
#include "gyre/actor/internal/signal.hpp"

namespace gyre::actor {

void Cell::send(Signal* given) noexcept {
    std::unique_ptr<Signal> signal(given);
    Cell& to = *signal->to.cell();
    if (to.wire() != nullptr) {
        to.wire()->signal(*signal);
    } else if (to.is_here()) {
        to.take(*signal);
    } else if (to.host().post(*signal)) {
        static_cast<void>(signal.release());
    } else if (signal->kind == SignalKind::start) {
        to.end_unstarted();
    } else if (signal->kind == SignalKind::watch) {
        // Its loop is closed, so the actor has ended.
        tell_watcher(signal->who, signal->tell, Terminated{signal->to, to.end_failure()});
    } else if (signal->kind == SignalKind::link) {
        tell_linked(signal->who, signal->to, to.end_failure());
    }
}

void Cell::take(Signal& signal) noexcept {
    const bool has_ended = life() == Life::ended;
    switch (signal.kind) {
        case SignalKind::start:
            return start();
        case SignalKind::stop:
            return begin_stop(Life::draining);
        case SignalKind::stop_now:
            return begin_stop(Life::stopping);
        case SignalKind::child_ended:
            return child_ended(signal);
        case SignalKind::watch:
            if (has_ended) {
                tell_watcher(signal.who, signal.tell, Terminated{AnyRef(*this), end_failure()});
            } else {
                extras().watchers.push_back({std::move(signal.who), signal.tell});
            }
            return;
        case SignalKind::unwatch:
            if (extras_ == nullptr) return;
            std::erase_if(extras_->watchers,
                          [&](const Extras::Watcher& w) { return w.who == signal.who; });
            return;
        case SignalKind::ended:
            return;  // A local actor gets a Terminated instead.
        case SignalKind::link:
            if (has_ended) {
                tell_linked(signal.who, AnyRef(*this), end_failure());
            } else {
                extras().links.push_back(std::move(signal.who));
            }
            return;
        case SignalKind::unlink:
            if (extras_ != nullptr) std::erase(extras_->links, signal.who);
            return;
        case SignalKind::link_failed:
            // This actor may have unlinked meanwhile.
            if (extras_ == nullptr || std::erase(extras_->links, signal.who) == 0) return;
            if (life() >= Life::stopping) return;
            ++failed_count_;
            end_with(std::move(signal.failure));
            return;
    }
}

void Cell::tell_watcher(const AnyRef& who, MakeTerminated tell, Terminated end) noexcept {
    if (tell != nullptr) {
        ActorHost::put_urgent(*who.cell(), *tell(std::move(end)));
        return;
    }
    auto* signal = new Signal(SignalKind::ended, *who.cell(), std::move(end.actor));
    signal->failure = std::move(end.failure);
    send(signal);
}

void Cell::tell_linked(const AnyRef& who, const AnyRef& of, std::exception_ptr failure) noexcept {
    auto* signal = new Signal(failure != nullptr ? SignalKind::link_failed : SignalKind::unlink,
                              *who.cell(), of);
    signal->failure = std::move(failure);
    send(signal);
}

// ---- for the actor itself

void Cell::watch(Cell& other, MakeTerminated tell) {
    auto* signal = new Signal(SignalKind::watch, other, AnyRef(*this));
    signal->tell = tell;
    send(signal);
}

void Cell::unwatch(Cell& other) {
    send(new Signal(SignalKind::unwatch, other, AnyRef(*this)));
}

void Cell::link_with(Cell& other) {
    extras().links.emplace_back(other);
    send(new Signal(SignalKind::link, other, AnyRef(*this)));
}

void Cell::unlink_from(Cell& other) {
    if (extras_ != nullptr) std::erase(extras_->links, AnyRef(other));
    send(new Signal(SignalKind::unlink, other, AnyRef(*this)));
}

}  // namespace gyre::actor
