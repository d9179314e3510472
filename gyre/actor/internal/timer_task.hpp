// SPDX-License-Identifier: Apache-2.0
// TimerTask: the task of a delayed or repeated message, or of a restart's back-off. It lives as its
// task does, on the actor's thread; the actor cancels it when it ends.
#pragma once

#include <cstdint>
#include <utility>

#include "gyre/actor/detail/cell.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::actor {

class TimerTask final : public TaskBlock<void>, public Work {
public:
    TimerTask(Cell& cell, std::uint64_t id, Future<void> future)
        : TaskBlock<void>(cell.scope(), std::move(future)), cell_(cell) {
        GYRE_ASSERT(id != 0, "timer id 0 means a handler: number timers from 1");
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
