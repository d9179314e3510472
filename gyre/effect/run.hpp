// SPDX-License-Identifier: Apache-2.0
// Run: one invocation of an effectful function and all that follows from it; RunTask: one line of
// execution inside it, of which the root is always there. Users hold a RunHandle; this is what it
// refers to. Both belong to their scheduler and its loop's thread. A run is freed when its last
// task has ended, its last handler has returned and its handle is gone.
//
// A task:   ready ──one step──▶ waiting ──its one answer──▶ ready
//             │                    └─ for a handler, a timer, or another task
//             ├──its function has a value──▶ completing ──the attached tasks have ended──▶ ended
//             └──it fails, is cancelled, or is ended by a handler──▶ ended
//
// The run:  ready ◀──▶ waiting ──the first outcome──▶ terminal
//
// It is ready while one of its tasks is: then it stands once in the scheduler's ready queue, and
// its turn is one step of one task. It is terminal from its first outcome on, which nothing
// changes: value, failed or cancelled. The outcome comes when the root and the attached tasks have
// ended; detached tasks may run on, and the clean-ups wait for them.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gyre/base/intrusive.hpp"
#include "gyre/effect/guest.hpp"
#include "gyre/effect/handlers.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "gyre/task/suspension.hpp"

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
    // Null: for another task, or its turn in a replay.
    void wait_for(Completion* completion) noexcept {
        state = State::waiting;
        waits_for = completion;
    }
    // The tasks that must end before it does. Null: it never had one.
    [[nodiscard]] TaskQueue* attached() noexcept;
    // What its handler failed with, where it has.
    [[nodiscard]] std::exception_ptr& failure();

    Run& run;
    const std::uint32_t id;  // 1: the root
    State state = State::ready;
    AnswerKind answer_kind = AnswerKind::resume;
    bool is_asking = false;   // `op` waits for its answer, or has got it
    bool has_failed = false;  // when ready: its handler has, there is no answer
    union {
        RunTask* next_ready;    // while it is ready: in the run's queue
        Completion* waits_for;  // while it waits
    };
    const OpInfo* op = nullptr;     // that it asked last
    Handler* handler = nullptr;     // of that op: guests ask the same again and again
    Continuation continuation = 0;  // where the guest goes on; 0 while it runs
    Value answer;                   // what it goes on with; when it has ended: its value
};

// A task that was spawned inside a run. It stays when it has ended, to be looked at.
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
    RunError error;
};

class Run final : public Link<ReadyRunLinks>, public Pooled {
public:
    // What a run begins with: its first step takes it.
    struct Beginning : Pooled {
        std::string entry;
        Arguments arguments;
    };
    // What few runs have. Of one with tasks:
    struct Family {
        std::unordered_map<Capability, std::unique_ptr<ChildTask>> tasks;
        TaskQueue attached;  // to the root
        TaskQueue detached;
        RunTask* last_ready = nullptr;  // its next one is the first
        std::uint32_t last_id = 1;
        std::uint32_t live_count = 0;
        std::uint32_t failed_count = 0;
    };
    // Of one with a journal: what waits for an answer, and for its turn in a replay.
    struct Recording {
        struct Asked {
            RunTask* task;
            Arguments arguments;
        };
        Journal* journal = nullptr;
        std::vector<Asked> live;
        std::vector<Asked> replayed;
    };
    struct Ending {
        RunError error;
        CancelReason reason;
    };
    struct Extras : Pooled {
        std::unique_ptr<Family> family;
        std::unique_ptr<Recording> recording;
        std::unique_ptr<Ending> ending;
        std::vector<std::move_only_function<void()>> clean_ups;
        WaitQueue waiters;           // for its outcome
        std::exception_ptr failure;  // of the root's handler
    };

    Run(Scheduler& by, RunId number, Guest& of, const Handlers& with) noexcept
        : scheduler(by), guest(of), handlers(with), id(number), root(*this, 1) {}

    [[nodiscard]] bool is_terminal() const noexcept { return state == RunState::terminal; }
    void pin() noexcept { ++pins; }
    void unpin() noexcept {
        if (--pins == 0 && is_closed) delete this;
    }
    // Null where it has none.
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
    // Once it has failed or was cancelled.
    [[nodiscard]] const Ending& ending() const noexcept { return *extras->ending; }
    [[nodiscard]] const Value& value() const noexcept { return root.answer; }
    [[nodiscard]] bool has_live_tasks() const noexcept {
        return root.is_live() || (family() != nullptr && family()->live_count > 0);
    }

    // Until its first step, the root goes on at its beginning.
    void set_beginning(std::unique_ptr<Beginning> with) noexcept {
        root.continuation = reinterpret_cast<Continuation>(with.release());
    }
    [[nodiscard]] std::unique_ptr<Beginning> take_beginning() noexcept {
        has_begun = true;
        return std::unique_ptr<Beginning>(
            reinterpret_cast<Beginning*>(std::exchange(root.continuation, 0)));
    }

    // Its ready tasks, first in, first out. Without a family there is only the root.
    [[nodiscard]] bool has_ready() const noexcept {
        return family() == nullptr ? is_root_ready : family()->last_ready != nullptr;
    }
    void push_ready(RunTask& task) noexcept {
        if (family() == nullptr) {
            is_root_ready = true;
        } else {
            push_among(task);
        }
    }
    [[nodiscard]] RunTask& pop_ready() noexcept {
        if (family() != nullptr) return pop_among();
        is_root_ready = false;
        return root;
    }
    void remove_ready(const RunTask& task) noexcept;
    void push_among(RunTask& task) noexcept;
    [[nodiscard]] RunTask& pop_among() noexcept;

    Scheduler& scheduler;
    Guest& guest;
    const Handlers& handlers;
    const RunId id;
    bool (*accepts)(const Value&) noexcept = nullptr;  // whether its value is of the wanted type
    RunTask root;
    std::unique_ptr<Extras> extras;
    std::uint32_t pins = 0;  // who still looks at it: its handle, tokens, handlers, a step
    RunState state = RunState::ready;
    RunEndKind end = RunEndKind::value;
    bool has_begun : 1 = false;
    bool is_root_ready : 1 = false;  // of one without a family
    bool is_closed : 1 = false;      // its last task has ended and its clean-ups have run
};

inline TaskQueue* RunTask::attached() noexcept {
    if (!is_root()) return &static_cast<ChildTask*>(this)->attached_tasks;
    return run.family() == nullptr ? nullptr : &run.family()->attached;
}
inline std::exception_ptr& RunTask::failure() {
    if (!is_root()) return static_cast<ChildTask*>(this)->handler_failure;
    return run.need_extras().failure;
}

}  // namespace gyre::effect
