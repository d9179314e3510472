// SPDX-License-Identifier: Apache-2.0
// Tasks: the tasks, timers and actors of a Vela program, and the order in which they run.
//
// - A Future starts when it is first awaited (in the task that awaits it), spawned (in a task of
//   its own, queued) or started by a combinator (in a task of its own, on the spot).
// - A Future that is awaited by the task that started it gives its value at once; every other
//   waiting task goes to the end of the program's queue of turns.
// - A program is over when no task is queued and nothing outside (a timer, I/O) can wake one.
//
// One task of gyre, the runner, takes the turns of the queue while there are any: a task that was
// woken, a message of an actor, a function that a timer calls. After some turns, and after each body
// that was interrupted, it goes to the end of the executor's run queue. One thread: that of the
// executor.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gyre/kernel/detail/turn_share.hpp"
#include "gyre/task/core/executor.hpp"
#include "gyre/task/core/scope.hpp"
#include "gyre/task/sync/event.hpp"
#include "lang/vela/run/internal/native_routine.hpp"
#include "lang/vela/run/internal/turns.hpp"
#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela::vm {

// A timer of the program: the op itself, part of a thing that the collector keeps while it is in flight.
class ProgramTimer : private TimerWait {
public:
    void start(Tasks& tasks, std::int64_t delay_ms);
    // It does not fire any more.
    void clear() noexcept;

protected:
    ~ProgramTimer() = default;

private:
    friend class Tasks;
    [[nodiscard]] virtual Thing& owner() noexcept = 0;
    virtual void fire(Tasks& tasks) = 0;
    void on_complete(Op& op) noexcept override;
    void cancel() noexcept override {}
    [[nodiscard]] const char* what() const noexcept override { return "a timer of the program"; }

    Tasks* tasks_ = nullptr;
    std::uint32_t place_ = 0;  // among the timers in flight
    bool is_cleared_ = false;
    bool is_in_flight_ = false;
};

// Of setTimeout, or of a timeout.
struct Timer final : Thing, ProgramTimer {
    Timer() noexcept : Thing(Kind::timer) {}
    void trace(Marker& marker) override;

    Word function;             // of setTimeout; missing: none
    Deferred* gate = nullptr;  // of a timeout
    Word gate_value;           // what it is fulfilled with

private:
    [[nodiscard]] Thing& owner() noexcept override { return *this; }
    void fire(Tasks& tasks) override;
};

// Work on gyre's side, and the future that its end settles.
struct StartedWork {
    Deferred* future;
    gyre::TaskHandle<void> task;
};

// What a library keeps for a machine. It goes before the tasks and the heap.
class TasksExtension {
public:
    virtual ~TasksExtension() = default;
};

class Tasks {
public:
    Tasks(Vm& vm, Scope& scope, PromiseBase& promise, Clock& clock);
    ~Tasks();
    Tasks(const Tasks&) = delete;
    Tasks& operator=(const Tasks&) = delete;

    Vm& vm;
    Scope& scope;
    std::unique_ptr<TasksExtension> extension;  // of system:effects

    // ---- futures
    [[nodiscard]] Deferred* make_pending();
    [[nodiscard]] Deferred* make_pending(std::string_view name);
    [[nodiscard]] Promise* make_promise();
    [[nodiscard]] NativeFuture* make_native(std::string_view name, std::unique_ptr<Routine> body) {
        return vm.heap.make<NativeFuture>(name, std::move(body));
    }
    void settle(Deferred& future, FutureState state, Word result);
    // Calls back when the future settles, at once if it has. The function must keep nothing alive:
    // what it refers to is in `kept`.
    void when_settled(Deferred& future, std::vector<Word> kept,
                      std::move_only_function<void(Vm& vm, std::span<const Word> kept)> callback);
    // Starts it at once in a task of its own, unless it has started.
    void start(Deferred& future);
    TaskHandle* spawn(Deferred& future, Group* group = nullptr);
    // The first turn of a handle whose body is its own.
    void queue_start(TaskHandle& handle, Group* group);
    // A task of a run of system:effects, or of none.
    TaskHandle* spawn_in(Thing* effects, Deferred& future);
    bool cancel(TaskHandle& handle);

    // ---- scopes
    [[nodiscard]] Group* open_scope();
    [[nodiscard]] Deferred* close_scope(Group& group, bool is_left_early, Word error);

    // ---- streams
    [[nodiscard]] Deferred* next(Stream& stream);  // an Option
    [[nodiscard]] Deferred* close(Stream& stream);

    // ---- actors
    // On this machine, or on another one of the program.
    [[nodiscard]] ActorRef* make_actor(Instance& actor);
    [[nodiscard]] ActorRef* make_actor_here(Instance& actor);
    // The actor gets a copy of the message.
    void send(ActorRef& to, Word message);
    // Queues a message that is the actor's own already.
    void deliver(ActorRef& to, Word message);
    [[nodiscard]] std::uint64_t dead_letter_count() const noexcept { return dead_letter_count_; }
    void count_dead_letter() noexcept { ++dead_letter_count_; }

    // ---- time
    [[nodiscard]] Timer* start_timer(std::int64_t delay_ms);
    [[nodiscard]] Deferred* sleep(std::int64_t delay_ms);
    [[nodiscard]] std::int64_t now_ms();
    // Calls a function of the program in a task of its own, queued. A failure is reported.
    void call_later(Word function, const char* name);
    // Calls `wake` of a waker of the program, likewise.
    void wake_later(Word waker) { call_later(vm.bound_method(waker, "wake"), "wake"); }

    // ---- the outside
    // Something outside of the program that may wake it has begun or ended.
    void begin_outside() noexcept {
        if (active_count_++ == 0) [[unlikely]]
            on_active();
    }
    void end_outside() noexcept;
    // Runs work on gyre's side, a task of its own. Its end settles the future, which the machine
    // keeps until then.
    using Work = std::move_only_function<gyre::Future<void>(Vm& vm, Deferred& future)>;
    // `args` lives as long as the work, also if the program has lost interest.
    [[nodiscard]] StartedWork start_work(std::string_view name, Work work, Word args);
    // A lazy Future of such work; a cancel of the task that awaits it reaches gyre's. It keeps the
    // arguments of the native function that made it.
    [[nodiscard]] Deferred* make_work(std::string_view name, Work work, std::span<const Word> args);
    // For gyre's side: the outcome of a Future of the program, which it starts.
    [[nodiscard]] gyre::Future<Settled> outcome_of(Deferred& future);
    [[nodiscard]] PromiseBase& promise() noexcept { return promise_; }

    // A server of the program, which a request to end the program stops: the program goes on behind
    // its `listen`. The owner is the key.
    void add_server(Thing& owner, std::move_only_function<void()> stop) {
        servers_[&owner] = std::move(stop);
    }
    void remove_server(Thing& owner) { servers_.erase(&owner); }
    // False if there is none.
    bool stop_servers();

    // ---- the program
    // Runs the start of the program; then `is_over` is awaited.
    void run_main(Deferred* main);
    [[nodiscard]] Event& is_over() noexcept { return is_over_; }
    // Reports failures that nobody saw, and who waits if main did not end. The exit status.
    [[nodiscard]] int report();
    void end(int exit_code) noexcept;
    // No machine of the program has anything left to do.
    void set_over() noexcept { is_over_.set(); }
    void report_uncaught(Word error);
    // Reports the failures that nobody has seen so far, and forgets them.
    void report_failures();
    [[nodiscard]] int exit_code() const noexcept { return exit_code_.value_or(0); }
    void trace(Marker& marker);
    [[nodiscard]] std::string waiting_text() const;
    // Main has not ended, and nothing can wake it.
    [[nodiscard]] bool is_stuck() const noexcept {
        return !exit_code_ && main_ != nullptr && !main_->is_settled();
    }
    // Who waits on other machines, for the report.
    void set_waiting_elsewhere(std::string text) { waiting_elsewhere_ = std::move(text); }

    // Of the program, also where nothing else is left: gives them time for their clean-ups.
    void cancel_all();
    // Nothing is queued, and nothing outside can wake a task.
    [[nodiscard]] bool is_idle() const noexcept { return active_count_ == 0; }
    [[nodiscard]] bool is_ended() const noexcept { return exit_code_.has_value(); }
    // After the end: withdraws the timers that are left, and waits until they are back.
    [[nodiscard]] gyre::Future<void> withdraw_timers();

private:
    friend class ProgramTimer;
    friend struct Sleep;
    friend class KeptAlive;

    // ---- steps in words, for --steps and the trace
    void tell(const VelaTask& task, const std::string& text);
    void tell_turn(const VelaTask& task, const Resume& with);
    void tell_end(const VelaTask& task, const Deferred& ended, const Step& step);
    void tell_await(const VelaTask& task, const Deferred& awaited);
    [[nodiscard]] static std::string place_in_line(const std::string& place);

    void on_active() noexcept;
    VelaTask* make_task(Deferred& first, std::uint32_t number);
    VelaTask* take_spare_task();
    void add_task(VelaTask& task) noexcept;
    void queue_first_turn(TaskHandle& handle, Thing* effects);
    void drop_task(VelaTask& task) noexcept;
    void end_task(VelaTask& task);
    void wake(VelaTask& task, Resume with);
    void enqueue(VelaTask& task);
    // Runs until its innermost future waits for a future of another task, or without a task. False
    // if it was interrupted.
    bool go_on(VelaTask& task);
    bool follow(VelaTask& task, Step step, bool may_cancel);
    Resume begin_innermost(VelaTask& task, Deferred& future);
    Resume end_innermost(VelaTask& task, const Step& step);
    // `go_on` for the first turn of a spawned task or of a handler. If it was interrupted, it is queued.
    bool run_first(Frame& body, TaskHandle* handle, ActorRef* actor);
    Step resume_top(VelaTask& task, Deferred& top, const Resume& with);
    void add_turn(const Turn& turn);
    gyre::Future<void> run_turns();
    bool run_turn(const Turn& turn);
    bool take(const Turn& turn);
    bool take_first_turn(TaskHandle& handle);
    bool take_queued_turn(VelaTask& task);
    gyre::Future<void> let_others_run(bool is_interrupted);
    [[nodiscard]] bool goes_on_at_once() noexcept;
    [[nodiscard]] bool has_had_its_share(bool is_interrupted) noexcept;
    // `go_on` for the handler of an actor, too.
    bool take_turn(VelaTask& task);
    [[nodiscard]] static bool is_held_up(const VelaTask& task) noexcept;
    void throw_at_wait(VelaTask& task, Word error);
    void interrupt(Group& group);
    void on_task_ended(TaskHandle& handle);
    void settle_handle(TaskHandle& handle, FutureState state, Word result);
    void call_now(Word function, std::string_view name);
    void queue_message(ActorRef& to);
    void handle_next(ActorRef& to);
    [[nodiscard]] std::size_t keep(Word word);
    void forget(std::size_t number);
    void report_failed(std::string_view what, std::string_view name, Word error);
    void report_handler(const VelaTask& task, Word error);

    PromiseBase& promise_;
    Clock& clock_;
    const Instant started_;
    Event is_over_;
    // Of one turn of the loop: a share of time, and in virtual time runs of `back_edges_max` back edges.
    static constexpr Duration time_per_turn_max = std::chrono::microseconds(1500);
    static constexpr std::uint32_t slices_per_turn_max = 8;
    TurnShare share_{time_per_turn_max};
    Instant turn_;
    std::uint32_t slice_count_ = 0;  // in that turn
    std::size_t active_count_ = 0;
    TurnQueue turns_;  // each is active
    bool is_runner_there_ = false;
    std::vector<TaskHandle*> failed_;
    // Things that gyre's side works for, by number.
    std::vector<Word> kept_;
    std::vector<std::size_t> free_kept_;
    std::vector<ProgramTimer*> timers_;  // in flight
    std::map<Thing*, std::move_only_function<void()>> servers_;
    Event has_no_timers_;
    VelaTask* all_ = nullptr;
    std::vector<VelaTask*> spare_tasks_;
    VelaTask* first_turn_ = nullptr;  // a spare one, not in the list: for the next first turn
    Deferred* main_ = nullptr;
    std::uint64_t dead_letter_count_ = 0;
    std::uint64_t step_count_ = 0;
    std::uint32_t task_count_ = 0;
    int nested_starts_ = 0;  // a start inside a start
    std::optional<int> exit_code_;
    std::string waiting_elsewhere_;
    bool main_failed_ = false;
};

// Keeps a value of the program while gyre's side uses it. A member of a thing on the heap goes after the Tasks, which
// then keep nothing any more.
class KeptAlive {
public:
    KeptAlive(Tasks& tasks, Word word) : vm_(tasks.vm), number_(tasks.keep(word)) {}
    ~KeptAlive() {
        if (vm_.tasks != nullptr) vm_.tasks->forget(number_);
    }
    KeptAlive(const KeptAlive&) = delete;
    KeptAlive& operator=(const KeptAlive&) = delete;

private:
    Vm& vm_;
    const std::size_t number_;
};

}  // namespace gyre::vela::vm
