// SPDX-License-Identifier: Apache-2.0
// Runtime: futures, tasks, timers and their order, in virtual time, for the interpreters of the
// tests. Slow and obvious. It knows nothing of how a body is evaluated: an interpreter gives a
// Routine for each async body, and the runtime goes on with it where it stopped.
//
// The order, which both interpreters share:
// - A Future starts when it is first awaited (in the task that awaits it), spawned (in a task of
//   its own, queued) or started by a combinator (in a task of its own, on the spot).
// - A future awaited by the task that started it gives its value back at once; all other waiting
//   tasks come to the end of the ready queue.
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

// Where a routine stopped: it waits for the Future `value`, has the next value of a generator, has
// ended with a value, or with an error.
enum class StepKind : std::uint8_t { waits, yields, ends, fails };
struct Step {
    StepKind kind = StepKind::ends;
    Value value;
};

// How it goes on: with the value of what it waited for (void at the start and after a yield), with
// an error thrown at that place, or with a generator being closed: as if the yield were a return.
enum class ResumeKind : std::uint8_t { value, error, close };
struct Resume {
    ResumeKind kind = ResumeKind::value;
    Value value;
};

// A body that may stop and go on. What it throws it tells as a Step; InternalError passes through.
class Routine {
public:
    virtual ~Routine() = default;
    virtual Step resume(const Resume& with) = 0;
};

struct Task;

// Who wants to know when a future settles: a task, which is woken, or whatever is called on the
// spot.
struct Waiter {
    Task* task = nullptr;
    std::function<void()> callback;
};

enum class FutureState : std::uint8_t { unstarted, running, fulfilled, rejected };

struct Future : Thing {
    std::string name;  // of the async fn; "lambda" and "block" for those without
    FutureState state = FutureState::unstarted;
    std::unique_ptr<Routine> routine;  // none of a promise
    Value result;                      // or the error
    bool is_observed = false;          // somebody waits, or did: its failure is no surprise
    std::vector<Waiter> waiting;       // in the order they came

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
    // While its body runs: the task and the async body that it stands in.
    Task* task = nullptr;
    Future* body = nullptr;
    std::optional<Value> interruption;  // what the body was ended with when a child failed
};

// A row of futures, each awaited by the one before it; the last is the one that runs or waits.
struct Task : Thing {
    std::vector<Future*> chain;
    Future* waits_on = nullptr;
    Resume next;  // what it goes on with when its turn comes
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
    Function* handler = nullptr;  // takes a message; may give a Future
};

struct Timer : Thing {
    std::function<void()> on_fired;  // none once it was cleared
};

struct RuntimeOptions {
    // Of expressions, calls and turns; a program that wants more is taken to be endless.
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
    // A method of an object of the program, as a function; the interpreter knows how.
    std::function<Value(const Value& object, std::string_view name)> method_of;

    // Runs the program's main, which is none, plain or async, and all that follows from it; what
    // happened is in `outcome`. Once.
    void run(Function* main);

    // ---- errors
    Value error(std::string_view type, std::string message);
    [[noreturn]] void fail(std::string_view type, std::string message);
    [[nodiscard]] bool is_error(const Value& value) const;      // an Error or what extends it
    [[nodiscard]] bool is_cancelled(const Value& value) const;  // a CancelledError
    void count_step();

    // ---- futures
    // A lazy one of an async body.
    Future* make_future(std::string name, std::unique_ptr<Routine> routine);
    // One without a body: somebody settles it.
    Future* make_pending();
    Iterator* make_iterator(std::unique_ptr<Routine> routine);
    void settle(Future& future, FutureState state, Value result);
    // Begins it on the spot in a task of its own, unless it has begun.
    void start(Future& future);
    TaskHandle* spawn(Future& future, ScopeGroup* group = nullptr);
    bool cancel(TaskHandle& handle);

    // ---- scopes
    // Of the task that runs. The first failure of a child cancels the others, and ends the body at
    // its wait.
    ScopeGroup* open_scope();
    // Waits for all children; where it was left early, or is cancelled meanwhile, cancels them
    // first. Fails with the error that left it, unless that came of the first failure of a child:
    // then with that.
    Future* close_scope(ScopeGroup& group, bool is_left_early, std::optional<Value> error_value);

    // ---- generators
    Future* next(Iterator& iterator);  // an Option
    Future* close(Iterator& iterator);

    // ---- actors
    ActorRef* make_actor(Object& actor, Function* handler);
    void send(ActorRef& to, Value message);

    // ---- time
    Timer* start_timer(std::int64_t delay_ms, std::function<void()> on_fired);
    // In ms since the start. Every reading takes a microsecond, so that who waits for the clock
    // gets on.
    std::int64_t now();
    // Does it when its turn comes, after all that is ready now.
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
    Task* running_ = nullptr;  // the innermost, where one starts another on the spot
};

}  // namespace gyre::vela
