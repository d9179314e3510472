// SPDX-License-Identifier: Apache-2.0
// Host: the actors of one loop. One task of the loop runs them: those that have messages stand in
// its list, and each gets its turn. It belongs to the loop's thread, apart from `post`; its memory
// stays while a cell of it does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gyre/actor/cell.hpp"
#include "gyre/actor/gate.hpp"
#include "gyre/actor/system_state.hpp"
#include "gyre/base/random.hpp"
#include "gyre/task/scope.hpp"
#include "gyre/task/waker.hpp"

namespace gyre::actor {

// The actors that have something to do, first in, first out.
class ReadyCells {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    GYRE_HOT void push(Cell& cell) noexcept {
        cell.next_ready_ = nullptr;
        (first_ == nullptr ? first_ : last_->next_ready_) = &cell;
        last_ = &cell;
    }
    // There is one.
    [[nodiscard]] GYRE_HOT Cell& pop() noexcept {
        Cell& cell = *first_;
        first_ = cell.next_ready_;
        return cell;
    }
    [[nodiscard]] Cell& pop_any(Random& chance) noexcept;

private:
    Cell* first_ = nullptr;
    Cell* last_ = nullptr;
};

class Host {
public:
    // Opens it: the runner is spawned in `scope`, whose executor is that of this thread.
    static Host& open(const std::shared_ptr<SystemState>& system, Scope& scope, std::string name);
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    // Any thread.
    void share() noexcept { shares_.fetch_add(1, std::memory_order_relaxed); }
    void drop() noexcept {
        // Acquire and release: the last one to let go sees what the others did.
        if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    // False: it is closed, and the message stays with the caller. Who gets it calls note_arrival.
    [[nodiscard]] bool post(Posted& message) noexcept;
    [[nodiscard]] SystemState& system() const noexcept { return *system_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] bool is_here() const noexcept { return thread_mark_ == FramePool::this_thread(); }
    [[nodiscard]] const void* thread_mark() const noexcept { return thread_mark_; }
    [[nodiscard]] MachineRef app_ref() const noexcept { return app_ref_; }
    [[nodiscard]] bool is_closed() const noexcept { return gate_.is_closed(); }
    // Ends its actors; with Life::draining those without a parent, which end theirs.
    void stop(Life how) noexcept;

    // Any thread; takes the message over: to an actor of any loop, before all others.
    static void put_urgent(Cell& to, Envelope& envelope) noexcept;

    // The one of this thread; null where there is none.
    [[nodiscard]] static Host* here() noexcept { return here_; }

    void note_arrival() noexcept { gate_.leave(); }
    [[nodiscard]] Executor& executor() const noexcept { return *executor_; }
    [[nodiscard]] Scope& scope() noexcept { return *scope_; }
    [[nodiscard]] std::uint64_t next_id() noexcept { return ++last_id_; }
    // Of what runs now on this thread: what a message takes along.
    [[nodiscard]] std::uint64_t trace_now() const noexcept {
        if (trace_ != 0) return trace_;
        const Task* task = executor_->current();
        return task == nullptr ? 0 : task->trace_id();
    }
    void set_trace(std::uint64_t id) noexcept { trace_ = id; }
    [[nodiscard]] bool measures() const noexcept { return system_->options.measures_busy_time; }
    [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }
    [[nodiscard]] std::size_t actor_count() const noexcept { return live_count_; }

    GYRE_HOT void make_ready(Cell& cell) noexcept {
        ready_.push(cell);
        if (is_asleep_) wake();
    }
    // Takes it over: it is made, or about to be.
    void adopt(Cell& cell) noexcept;
    void remove(Cell& cell) noexcept;
    void fail(std::exception_ptr failure) noexcept;
    [[nodiscard]] std::string dump() const;
    // The runner never ran, or never will again.
    void abandon() noexcept;

private:
    friend class System;
    class StopMessage;
    class UrgentMessage;

    Host(std::shared_ptr<SystemState> system, Executor& executor, std::string name);
    ~Host();

    [[nodiscard]] Future<void> run();
    void run_batch() noexcept;
    [[nodiscard]] bool is_over() const noexcept { return is_stopping_ && live_count_ == 0; }
    void close() noexcept;
    void wake() noexcept;

    static constinit thread_local Host* here_;

    Atomic<std::uint32_t> shares_{1};
    const std::shared_ptr<SystemState> system_;
    const std::string name_;
    const void* const thread_mark_;
    Executor* executor_;
    const MachineRef app_ref_;
    Gate gate_;
    ReadyCells ready_;
    std::optional<Random> order_;
    std::uint64_t trace_ = 0;
    Task* runner_ = nullptr;
    std::optional<Scope> scope_;
    std::optional<Waker> keeps_alive_;
    Queue<Cell, HostLinks> cells_;
    std::size_t live_count_ = 0;
    std::uint64_t last_id_;
    std::exception_ptr failure_;
    bool is_asleep_ = false;
    bool is_stopping_ = false;
    bool is_cancelled_ = false;
};

}  // namespace gyre::actor
