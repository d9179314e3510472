// SPDX-License-Identifier: Apache-2.0
// Runtime: futures, tasks, timers and their order, in virtual time, for the interpreters of the
// tests. Simple and slow. It does not evaluate bodies: an interpreter provides a Routine for each
// async body, which the runtime resumes.
//
// The order, which both interpreters share:
// - A Future starts when it is first awaited (in the task that awaits it), spawned (in a task of
//   its own, queued) or started by a combinator (in a task of its own, on the spot).
// - A future awaited by the task that started it gives its value at once; all other waiting tasks
// go to the end of the ready queue.
// - Time moves only when nothing is ready; timers of one instant fire in the order of their start.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/vela/reference/outcome.hpp"
#include "lang/vela/reference/value.hpp"

namespace gyre::vela {

// How a routine stopped: it awaits the Future `value`, yields a value, has ended with a value, or
// with an error.
enum class StepKind : std::uint8_t { waits, yields, ends, fails };
struct Step {
    StepKind kind = StepKind::ends;
    Value value;
};

// How it is resumed: with the awaited value (void at the start and after a yield), with an error to
// throw there, or to close a generator: then the yield acts as a return.
enum class ResumeKind : std::uint8_t { value, error, close };
struct Resume {
    ResumeKind kind = ResumeKind::value;
    Value value;
};

// A resumable body. Errors are returned as a Step; InternalError is thrown.
class Routine {
public:
    virtual ~Routine() = default;
    virtual Step resume(const Resume& with) = 0;
};

struct Task;

// A waiter of a future: a task, which is woken, or a callback, which is called at once.
struct Waiter {
    Task* task = nullptr;
    std::function<void()> callback;
};

enum class FutureState : std::uint8_t { unstarted, running, fulfilled, rejected };

struct Future : Thing {
    std::string name;  // of the async fn; otherwise "lambda" or "block"
    FutureState state = FutureState::unstarted;
    std::unique_ptr<Routine> routine;  // null for a promise
    Value result;                      // or the error
    bool is_observed = false;          // it was awaited: its failure is not reported as unhandled
    std::vector<Waiter> waiting;       // in order of arrival

    [[nodiscard]] bool is_settled() const {
        return state == FutureState::fulfilled || state == FutureState::rejected;
    }
};

// The Future that `spawn` gives.
struct TaskHandle : Future {
    Task* task = nullptr;
    bool is_cancelled = false;
};

// The children of one `scope { }`.
struct ScopeGroup : Thing {
    std::vector<TaskHandle*> children;
    std::optional<Value> failure;  // of the first child that failed
    bool is_closed = false;
    // While its body runs: its task and its async body.
    Task* task = nullptr;
    Future* body = nullptr;
    std::optional<Value> interruption;  // the error thrown into the body when a child failed
};

// A stack of futures, each awaited by the one before; the last runs or waits.
struct Task : Thing {
    std::vector<Future*> chain;
    Future* waits_on = nullptr;
    Resume next;  // how it is resumed in its turn
    bool is_queued = false;
    bool is_started = false;
    bool is_cancel_wanted = false;
};

struct Promise : Thing {
    Future* future = nullptr;
};

// Of a generator.
struct Iterator : Thing {
    std::unique_ptr<Routine> routine;
    bool is_started = false;
    bool is_running = false;
    bool is_done = false;
};

struct ActorRef : Thing {
    Object* actor = nullptr;
    Function* handler = nullptr;  // takes a message; may return a Future
};

struct Timer : Thing {
    std::function<void()> on_fired;  // empty if cleared
};

struct RuntimeOptions {
    // The maximum number of expressions, calls and turns; a program above it counts as endless.
    std::int64_t step_count_max = 20'000'000;
    // The function that is run.
    std::string_view entry = "main";
};

class Runtime {
public:
    explicit Runtime(const Program& of, RuntimeOptions options = {});

    const Program& program;
    Heap heap;
    Outcome outcome;
    // A method of a program object as a function, made by the interpreter.
    std::function<Value(const Value& object, std::string_view name)> method_of;

    // Runs the program's main (none, plain or async) and everything it starts; the result is in
    // `outcome`. Call it once.
    void run(Function* main);

    // ---- errors
    Value error(std::string_view type, std::string message);
    [[noreturn]] void fail(std::string_view type, std::string message);
    [[nodiscard]] bool is_error(const Value& value) const;      // an Error or what extends it
    [[nodiscard]] bool is_cancelled(const Value& value) const;  // a CancelledError
    void count_step();

    // ---- futures
    // A lazy future of an async body.
    Future* make_future(std::string name, std::unique_ptr<Routine> routine);
    // A future without a body, settled by the caller.
    Future* make_pending();
    Iterator* make_iterator(std::unique_ptr<Routine> routine);
    void settle(Future& future, FutureState state, Value result);
    // Starts it at once in a task of its own, unless it has started.
    void start(Future& future);
    TaskHandle* spawn(Future& future, ScopeGroup* group = nullptr);
    bool cancel(TaskHandle& handle);

    // ---- scopes Opens a scope of the running task. The first failure of a child cancels the
    // others, and throws into the body at its await.
    ScopeGroup* open_scope();
    // Waits for all children; cancels them first on an early exit, or if it is cancelled meanwhile.
    // Fails with the error of that exit, or with the first failure of a child if that caused it.
    Future* close_scope(ScopeGroup& group, bool is_left_early, std::optional<Value> error_value);

    // ---- generators
    Future* next(Iterator& iterator);  // an Option
    Future* close(Iterator& iterator);

    // ---- actors
    ActorRef* make_actor(Object& actor, Function* handler);
    void send(ActorRef& to, Value message);

    // ---- time
    Timer* start_timer(std::int64_t delay_ms, std::function<void()> on_fired);
    // In ms since the start. Every call advances time by a microsecond, so that a loop that polls
    // the clock ends.
    std::int64_t now();
    // Queues a callback after all that is ready now.
    void enqueue(std::function<void()> job);
    void print(std::string line) { outcome.lines.push_back(std::move(line)); }

private:
    void run_all();
    void wake(Task& task, Resume with);
    void go_on(Task& task);
    void throw_at_wait(Task& task, Value error_value);
    void interrupt(ScopeGroup& group);
    bool fire_timers();

    RuntimeOptions options_;
    std::deque<std::function<void()>> ready_;
    std::map<std::pair<std::int64_t, std::int64_t>, Timer*> timers_;  // by instant, then start
    std::int64_t timer_count_ = 0;
    std::int64_t now_us_ = 0;
    std::int64_t step_count_ = 0;
    std::vector<TaskHandle*> failed_;
    Task* running_ = nullptr;  // the innermost, if one starts another at once
};

}  // namespace gyre::vela
