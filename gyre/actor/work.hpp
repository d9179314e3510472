// SPDX-License-Identifier: Apache-2.0
// Work: a task that an actor has under way: a handler that waits, or a timer. It lives as its task
// does, on the actor's thread; the actor can cancel it, and ends when it has none.
#pragma once

#include <cstdint>

#include "gyre/actor/cell.hpp"
#include "gyre/task/scope.hpp"

namespace gyre::actor {

// A handler that is a coroutine. `E` is its envelope, which stays until the handler has ended,
// since that may look at the message.
template <class T, class E>
class HandlerTask final : public TaskBlock<T>, public Work {
public:
    HandlerTask(Cell& cell, E& envelope, Future<T> future)
        : TaskBlock<T>(cell.scope(), std::move(future)), cell_(cell), envelope_(envelope) {
        this->set_trace_id(envelope.trace_id());
        cell.add_work(*this);
    }

private:
    [[nodiscard]] Task& task() noexcept override { return *this; }
    [[nodiscard]] bool is_watched() const noexcept override { return true; }  // by its actor
    [[nodiscard]] AnyRef waiting_actor() const override {
        return cell_.is_exclusive() ? AnyRef(cell_) : envelope_.waiting_actor();
    }
    void destroy() noexcept override {
        std::exception_ptr failure = envelope_.settle(cell_, this->outcome());
        this->unlink_work();
        cell_.on_handler_ended(std::move(failure));
        delete this;  // Last: to the executor this is still the task that runs.
    }

    Cell& cell_;
    E& envelope_;
};

class TimerTask final : public TaskBlock<void>, public Work {
public:
    TimerTask(Cell& cell, std::uint64_t id, Future<void> future)
        : TaskBlock<void>(cell.scope(), std::move(future)), cell_(cell) {
        timer_id = id;
        cell.add_work(*this);
    }

private:
    [[nodiscard]] Task& task() noexcept override { return *this; }
    void destroy() noexcept override {
        unlink_work();
        cell_.on_timer_ended();
        delete this;
    }

    Cell& cell_;
};

}  // namespace gyre::actor
