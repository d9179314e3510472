// SPDX-License-Identifier: Apache-2.0
// ActorHost: the actors of one loop. One task of the loop, the runner, runs the actors that have
// messages in turn. It belongs to the loop's thread; members marked "any thread" may be called from
// everywhere. It is reference-counted: each of its cells holds a share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gyre/actor/detail/cell.hpp"
#include "gyre/actor/detail/gate.hpp"
#include "gyre/base/detail/atomic.hpp"
#include "gyre/base/random.hpp"
#include "gyre/kernel/detail/loop_locals.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre::actor {

// The actors that have messages or a step of their life to take, first in, first out.
using ReadyCells = ForwardQueue<Cell, ReadyCellLinks>;

class SystemState;

class ActorHost {
public:
    // Spawns the runner in `scope`, whose executor is the one of this thread.
    static ActorHost& open(const std::shared_ptr<SystemState>& system, Scope& scope,
                           std::string name);
    ActorHost(const ActorHost&) = delete;
    ActorHost& operator=(const ActorHost&) = delete;

    // Any thread.
    // Relaxed: the caller holds a share already.
    void share() noexcept { shares_.fetch_add(1, std::memory_order_relaxed); }
    void drop() noexcept {
        // Acquire and release: the thread that drops the last share sees all writes before.
        if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    // False: the host is closed, and the message stays with the caller. The receiver of the message
    // calls note_arrival.
    [[nodiscard]] bool post(ExecutorMessage& message) noexcept;
    [[nodiscard]] SystemState& system() const noexcept { return *system_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] bool is_here() const noexcept { return thread_mark_ == FramePool::this_thread(); }
    [[nodiscard]] const void* thread_mark() const noexcept { return thread_mark_; }
    [[nodiscard]] MachineRef app_ref() const noexcept { return app_ref_; }
    [[nodiscard]] bool is_closed() const noexcept { return gate_.is_closed(); }
    // Stops its actors; with Life::draining only those without a parent, which stop their children.
    void stop(Life how) noexcept;

    // Any thread; takes ownership: a message to an actor of any loop, before its other messages.
    static void put_urgent(Cell& to, Envelope& envelope) noexcept;

    // The host of the loop that turns on this thread; null when no system is open here.
    [[nodiscard]] static ActorHost* here() noexcept {
        return static_cast<ActorHost*>(LoopLocals::here().actors);
    }

    void note_arrival() noexcept { gate_.leave(); }
    [[nodiscard]] Executor& executor() const noexcept { return *executor_; }
    [[nodiscard]] Scope& scope() noexcept { return *scope_; }
    [[nodiscard]] std::uint64_t next_id() noexcept { return ++last_id_; }
    // The trace id that a message sent now gets: of the running handler or task.
    [[nodiscard]] std::uint64_t trace_now() const noexcept {
        if (trace_ != 0) [[likely]]
            return trace_;
        const Task* task = executor_->current();
        return task == nullptr ? 0 : task->trace_id();
    }
    void set_trace(std::uint64_t id) noexcept { trace_ = id; }
    [[nodiscard]] bool measures() const noexcept { return measures_busy_time_; }
    // Whether the system ever spawned an exclusive actor. Relaxed: a task that asks an exclusive
    // actor got its reference after the spawn.
    [[nodiscard]] bool has_exclusive_actors() const noexcept {
        return has_exclusive_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }
    [[nodiscard]] std::size_t actor_count() const noexcept { return live_count_; }

    GYRE_ALWAYS_INLINE void make_ready(Cell& cell) noexcept {
        ready_.push_back(cell);
        if (idle_ != nullptr) [[unlikely]]
            wake();
    }
    // The cell belongs to this host from now until `remove`.
    void adopt(Cell& cell) noexcept;
    void remove(Cell& cell) noexcept;
    void fail(std::exception_ptr failure) noexcept;
    [[nodiscard]] std::string dump() const;
    // For a loop that is destroyed: the runner never ran, or never will again.
    void abandon() noexcept;

private:
    friend class System;
    class IdleWait;
    struct Idle;
    class StopMessage;
    class UrgentMessage;

    ActorHost(std::shared_ptr<SystemState> system, Executor& executor, std::string name);
    ~ActorHost();

    [[nodiscard]] Future<void> run();
    void run_batch() noexcept;
    [[nodiscard]] bool is_over() const noexcept { return is_stopping_ && live_count_ == 0; }
    void close() noexcept;
    void wake() noexcept;

    void leave_here() noexcept {
        if (here() == this) LoopLocals::here().actors = nullptr;
    }

    Atomic<std::uint32_t> shares_{1};
    const std::shared_ptr<SystemState> system_;
    const Atomic<bool>& has_exclusive_;  // in *system_
    const bool measures_busy_time_;      // From here to order_: what every message touches.
    Executor* executor_;
    ReadyCells ready_;
    IdleWait* idle_ = nullptr;  // the wait of the runner, while no actor is ready
    std::uint64_t trace_ = 0;
    std::optional<Random> order_;
    const void* const thread_mark_;
    const std::string name_;
    const MachineRef app_ref_;
    Gate gate_;
    std::optional<Scope> scope_;
    Queue<Cell, HostLinks> cells_;
    std::size_t live_count_ = 0;
    std::uint64_t last_id_;
    std::exception_ptr failure_;
    bool is_stopping_ = false;
    bool is_cancelled_ = false;
};

}  // namespace gyre::actor
