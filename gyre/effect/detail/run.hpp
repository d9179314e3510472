// SPDX-License-Identifier: Apache-2.0
// Run: one invocation of an effectful function with all its tasks; RunTask: one task inside it, of
// which the root always exists; RunTable: the runs of a scheduler by id. Users hold a RunHandle,
// which refers to a Run. All belong to their scheduler and its loop's thread. A run is freed when
// its last task has ended, its last handler has returned and its handle is destroyed.
//
// A task:   ready ──one step──▶ waiting ──its one answer──▶ ready
//             ├──pre-empted──▶ ready, before its siblings
//             │                    └─ for a handler, a timer, or another task
//             ├──its function has a value──▶ completing ──the attached tasks have ended──▶ ended
//             └──it fails, is cancelled, or is ended by a handler──▶ ended
//
// The run:  ready ◀──▶ waiting ──the first outcome──▶ terminal
//
// A run is ready while one of its tasks is: then it is once in the scheduler's ready queue, and its
// turn is one step of one task. It is terminal from its first outcome on, which never changes:
// value, failed or cancelled. The outcome is set when the root and the attached tasks have ended;
// detached tasks may continue, and the clean-ups wait for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gyre/base/detail/intrusive.hpp"
#include "gyre/effect/guest.hpp"
#include "gyre/effect/handlers.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "gyre/task/core/detail/suspension.hpp"

namespace gyre::effect {

class Completion;
class Journal;
struct ReadyRunLinks;
struct SiblingTaskLinks;
class ChildTask;
using TaskQueue = Queue<ChildTask, SiblingTaskLinks>;

enum class RunState : std::uint8_t { ready, waiting, terminal };

class RunTask {
public:
    enum class State : std::uint8_t { ready, waiting, completing, ended };
    enum class End : std::uint8_t { value, failed, cancelled };

    RunTask(Run& of, std::uint32_t number) noexcept : run(of), id(number) {}
    RunTask(const RunTask&) = delete;
    RunTask& operator=(const RunTask&) = delete;

    [[nodiscard]] bool is_root() const noexcept { return id == 1; }
    [[nodiscard]] bool is_live() const noexcept { return state != State::ended; }
    // Null: it waits for another task, or for its turn in a replay.
    void wait_for(Completion* completion) noexcept {
        state = State::waiting;
        waits_for = completion;
    }
    // The tasks that must end before this one. Null: it never had any.
    [[nodiscard]] TaskQueue* attached() noexcept;
    // The failure of its handler; null when it has not failed.
    [[nodiscard]] std::exception_ptr& failure();

    Run& run;
    const std::uint32_t id;  // 1: the root
    State state = State::ready;
    AnswerKind answer_kind = AnswerKind::resume;
    bool is_asking = false;   // `op` waits for its answer, or has received it
    bool has_failed = false;  // when ready: its handler failed, there is no answer
    union {
        RunTask* next_ready;    // while it is ready: in the run's queue
        Completion* waits_for;  // while it waits
    };
    const OpInfo* op = nullptr;     // its last request
    Handler* handler = nullptr;     // of `op`, cached: guests repeat their requests
    Continuation continuation = 0;  // where the guest resumes; 0 while it runs
    Value answer;                   // the value to resume with; its result when it has ended
};

struct ReadyTaskLinks {
    static RunTask*& next(RunTask& task) noexcept { return task.next_ready; }
};

// A task that was spawned inside a run. It is kept after its end, for join.
class ChildTask final : public RunTask, public Link<SiblingTaskLinks>, public Pooled {
public:
    using RunTask::RunTask;

    TaskQueue attached_tasks;
    std::exception_ptr handler_failure;
    Capability capability = 0;
    RunTask* owner = nullptr;
    RunTask* waiter = nullptr;
    End end = End::value;
    bool is_detached = false;
    bool is_observed = false;
    Held held = 0;  // of its end, until it is taken
    RunError error;
};

class Run final : public Link<ReadyRunLinks>, public Pooled {
public:
    // The entry and arguments of a run; its first step consumes them.
    struct Beginning : Pooled {
        std::string entry;
        Arguments arguments;
    };
    // Of a run with spawned tasks.
    struct Family {
        std::unordered_map<Capability, std::unique_ptr<ChildTask>> tasks;
        TaskQueue attached;  // to the root
        TaskQueue detached;
        ForwardQueue<RunTask, ReadyTaskLinks> ready;
        std::uint32_t last_id = 1;
        std::uint32_t live_count = 0;
        std::uint32_t failed_count = 0;
    };
    // Of a run with a journal: the requests that wait for a handler, or for their turn in a replay.
    struct Recording {
        struct Asked {
            RunTask* task;
            Arguments arguments;
            bool is_answered = false;  // and a slow journal records the answer
        };
        Journal* journal = nullptr;
        std::vector<Asked> live;
        std::vector<Asked> replayed;
    };
    struct Ending {
        RunError error;
        CancelReason reason;
    };
    // State that few runs need.
    struct Extras : Pooled {
        std::unique_ptr<Family> family;
        std::unique_ptr<Recording> recording;
        std::unique_ptr<Ending> ending;
        std::vector<std::move_only_function<void()>> clean_ups;
        WaitQueue waiters;           // for its outcome
        std::exception_ptr failure;  // of the root's handler
    };

    Run(Scheduler& by, RunId number, Guest& of, const Handlers& with) noexcept
        : scheduler(by),
          guest(of),
          handlers(with),
          id(number),
          root(*this, 1),
          is_engine(of.is_engine()) {}

    [[nodiscard]] bool is_terminal() const noexcept { return state == RunState::terminal; }
    void pin() noexcept { ++pins; }
    void unpin() noexcept {
        GYRE_DEBUG_ASSERT(pins > 0, "a run is unpinned as often as it was pinned");
        if (--pins == 0 && is_closed) delete this;
    }
    // Null when the run has none.
    [[nodiscard]] Family* family() const noexcept {
        return extras == nullptr ? nullptr : extras->family.get();
    }
    [[nodiscard]] Recording* recording() const noexcept {
        return extras == nullptr ? nullptr : extras->recording.get();
    }
    [[nodiscard]] Extras& need_extras() {
        if (extras == nullptr) extras = std::make_unique<Extras>();
        return *extras;
    }
    // Only of a run that failed or was cancelled.
    [[nodiscard]] const Ending& ending() const noexcept {
        GYRE_ASSERT(extras != nullptr, "only a run that failed or was cancelled has an Ending");
        GYRE_ASSERT(extras->ending != nullptr, "set the Ending before settling the run");
        return *extras->ending;
    }
    [[nodiscard]] const Value& value() const noexcept { return root.answer; }
    [[nodiscard]] bool has_live_tasks() const noexcept {
        return root.is_live() || (family() != nullptr && family()->live_count > 0);
    }

    // Until the first step, the continuation of the root holds the Beginning.
    void set_beginning(std::unique_ptr<Beginning> with) noexcept {
        GYRE_ASSERT(!has_begun, "a run gets its entry before its first step");
        root.continuation = reinterpret_cast<Continuation>(with.release());
    }
    [[nodiscard]] std::unique_ptr<Beginning> take_beginning() noexcept {
        GYRE_ASSERT(!has_begun, "a run begins once");
        has_begun = true;
        return std::unique_ptr<Beginning>(
            reinterpret_cast<Beginning*>(std::exchange(root.continuation, 0)));
    }

    // Its ready tasks, first in, first out. Without a family the root is the only task.
    [[nodiscard]] bool has_ready() const noexcept {
        return family() == nullptr ? is_root_ready : !family()->ready.empty();
    }
    void push_ready(RunTask& task) noexcept {
        if (family() == nullptr) {
            is_root_ready = true;
        } else {
            family()->ready.push_back(task);
        }
    }
    [[nodiscard]] RunTask& pop_ready() noexcept {
        GYRE_DEBUG_ASSERT(has_ready(), "pop a ready task only from a run that has one");
        if (family() != nullptr) return *family()->ready.pop_front();
        is_root_ready = false;
        return root;
    }
    // Before its siblings: no other task of the run may enter the guest meanwhile.
    void push_preempted(RunTask& task) noexcept {
        if (family() == nullptr) {
            is_root_ready = true;
        } else {
            family()->ready.push_front(task);
        }
    }
    // No effect on a running task, which is not queued.
    void remove_ready(const RunTask& task) noexcept {
        if (family() == nullptr) {
            is_root_ready = false;
        } else {
            family()->ready.remove(task);
        }
    }

    Scheduler& scheduler;
    Guest& guest;
    const Handlers& handlers;
    const RunId id;
    bool (*accepts)(const Value&) noexcept = nullptr;  // whether its value has the wanted type
    RunTask root;
    std::unique_ptr<Extras> extras;
    std::uint32_t pins = 0;  // references: its handle, tokens, handlers, a step
    RunState state = RunState::ready;
    RunEndKind end = RunEndKind::value;
    bool has_begun : 1 = false;
    bool is_root_ready : 1 = false;  // only without a family
    bool is_closed : 1 = false;      // its last task has ended and its clean-ups have run
    bool is_stepping : 1 = false;    // the guest may be inside a call
    bool is_in_guest : 1 = false;    // begin_run was called, end_run was not
    const bool is_engine : 1;        // of the guest
};

inline TaskQueue* RunTask::attached() noexcept {
    if (!is_root()) return &static_cast<ChildTask*>(this)->attached_tasks;
    return run.family() == nullptr ? nullptr : &run.family()->attached;
}
inline std::exception_ptr& RunTask::failure() {
    if (!is_root()) return static_cast<ChildTask*>(this)->handler_failure;
    return run.need_extras().failure;
}

// Finds a run by its id. Open addressing; the ids, which count up, are hashed: a sequence of
// neighbours would make each removal long. It owns nothing.
class RunTable {
public:
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    // Makes room for one more run, so that `add` does not throw.
    void reserve_one() {
        if (8 * (count_ + 1) <= 7 * runs_.size()) return;
        std::vector<Run*> old(runs_.empty() ? 16 : 2 * runs_.size());
        std::swap(old, runs_);
        for (Run* run : old) {
            if (run != nullptr) place(*run);
        }
    }
    void add(Run& run) noexcept {
        GYRE_ASSERT(count_ < runs_.size(), "call reserve_one before add");
        place(run);
        ++count_;
    }
    [[nodiscard]] Run* find(RunId id) const noexcept {
        if (count_ == 0) return nullptr;
        for (std::size_t at = home(id); runs_[at] != nullptr; at = after(at)) {
            if (runs_[at]->id == id) return runs_[at];
        }
        return nullptr;
    }
    // Moves later entries of the probe sequence up, so that no gap hides them.
    void remove(const Run& run) noexcept {
        GYRE_ASSERT(count_ > 0, "remove only a run that was added");
        std::size_t gap = home(run.id);
        while (runs_[gap] != &run) gap = after(gap);
        for (std::size_t at = after(gap); runs_[at] != nullptr; at = after(at)) {
            const std::size_t way_to_gap = (gap - home(runs_[at]->id)) & (runs_.size() - 1);
            const std::size_t way_to_here = (at - home(runs_[at]->id)) & (runs_.size() - 1);
            if (way_to_gap > way_to_here) continue;
            runs_[gap] = runs_[at];
            gap = at;
        }
        runs_[gap] = nullptr;
        --count_;
    }
    // All of them, in the order in which they were started.
    [[nodiscard]] std::vector<RunId> ids() const {
        std::vector<RunId> all;
        for (const Run* run : runs_) {
            if (run != nullptr) all.push_back(run->id);
        }
        std::ranges::sort(all);
        return all;
    }

private:
    [[nodiscard]] std::size_t home(RunId id) const noexcept {
        return (id * 0x9E3779B97F4A7C15u >> 32u) & (runs_.size() - 1);
    }
    [[nodiscard]] std::size_t after(std::size_t at) const noexcept {
        return (at + 1) & (runs_.size() - 1);
    }
    void place(Run& run) noexcept {
        std::size_t at = home(run.id);
        while (runs_[at] != nullptr) at = after(at);
        runs_[at] = &run;
    }

    std::vector<Run*> runs_;  // a power of two, at most 7/8 full
    std::size_t count_ = 0;
};

}  // namespace gyre::effect
