// SPDX-License-Identifier: Apache-2.0
// EffectRun: one run of system:effects: a function of the program as a guest of gyre/effect, and
// functions of the program as its handlers. One thread: that of the machine.
//
// The function runs in a task of the program. The run has a root task, which waits for the next
// event of the function with an op of its own (`next`), and a child task for each request: so several
// requests can be under way. Events are a request, the end of a child, and the end of the function;
// the root spawns a child, joins one, or ends.
//
// The program counts a run as active only while the scheduler has something to do: a run that waits
// for the program alone does not hide a deadlock (Hold).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "gyre/effect/scheduler.hpp"
#include "lang/vela/run/internal/heap.hpp"
#include "lang/vela/run/internal/tasks.hpp"

namespace gyre::vela::vm {

// Runs of one machine that have not ended; one more throws an Error that names the limit.
inline constexpr std::size_t effect_runs_max = 10'000;

// The scheduler of a machine.
class EffectHost final : public TasksExtension {
public:
    explicit EffectHost(Tasks& tasks)
        : scheduler(tasks.scope.executor(), {.run_count_max = effect_runs_max}) {}
    effect::Scheduler scheduler;
};

// The program is active while it exists.
class Hold {
public:
    explicit Hold(Tasks& tasks) noexcept : tasks_(&tasks) { tasks.begin_outside(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { tasks_->end_outside(); }

private:
    Tasks* tasks_;
};

class EffectRun final : public HostThing, private effect::Guest {
public:
    EffectRun(Vm& vm, Word function, Word handlers, Thing* outer);
    void trace(Marker& marker) override;

    // Starts it; the Future is fulfilled with the Outcome when the function has ended, too.
    [[nodiscard]] Deferred* start();
    void cancel(const char* why);
    // A request of the function: the Future of its answer. Throws if the run has ended.
    [[nodiscard]] Deferred* ask(const std::string& op, Word args);

private:
    static constexpr effect::Continuation root = 1;
    struct Request {
        const effect::OpInfo* op = nullptr;
        effect::Arguments arguments;
        Deferred* answer = nullptr;
        TaskHandle* handler = nullptr;  // the task of the program that answers
        effect::Capability capability = 0;
        bool is_asked = false;
        std::optional<effect::Reply> reply;
        std::optional<Hold> hold;
    };

    // ---- for the scheduler
    [[nodiscard]] std::span<const effect::OpInfo> ops() const noexcept override { return {}; }
    [[nodiscard]] bool has_op(const effect::OpInfo* op) const noexcept override {
        return op != nullptr;
    }
    [[nodiscard]] effect::Step start(std::string_view entry, effect::Arguments arguments,
                                     effect::TaskHost& tasks) override;
    [[nodiscard]] effect::Step resume(effect::Continuation at, effect::Value answer,
                                      effect::TaskHost& tasks) override;
    void release(effect::Continuation at) noexcept override;

    [[nodiscard]] effect::Step go_on(effect::TaskHost& tasks);
    [[nodiscard]] effect::Step step_of(effect::Continuation number, effect::Value answer);
    void on_next(effect::Reply reply);
    void on_asked(Word function, const effect::Arguments& arguments, effect::Reply reply);
    void on_answered(effect::Continuation number);
    void on_body_ended();
    void on_closed();
    void tell_root();
    void finish();
    [[nodiscard]] Word outcome_word();

    Vm& vm_;
    const Word function_;
    const Word handler_map_;
    std::vector<Word> functions_;  // of the handlers: the program may change its map
    Thing* const outer_;           // handlers run in the run around this one
    Deferred* outcome_ = nullptr;
    TaskHandle* body_ = nullptr;
    effect::Handlers handlers_;
    std::map<std::string, effect::OpInfo> ops_;  // by name; the names are the keys
    std::map<effect::Continuation, Request> requests_;
    effect::Continuation last_number_ = root;
    effect::Continuation asking_ = 0;  // whose handler is called next
    std::deque<effect::Continuation> new_requests_;
    std::deque<effect::Capability> ended_children_;
    effect::Capability joining_ = 0;
    std::vector<Deferred*> lost_answers_;  // of requests that nobody will answer
    std::optional<effect::RunHandle<effect::Value>> run_;
    std::optional<effect::RunOutcome<effect::Value>> ended_;  // after the run is closed
    std::optional<effect::Reply> next_;                       // while the root waits
    std::optional<Hold> hold_;
    std::optional<KeptAlive> kept_;
    bool is_over_ = false;  // nothing more is asked
};

}  // namespace gyre::vela::vm
