// SPDX-License-Identifier: Apache-2.0
// The things of a Vela program that wait: futures, tasks, scopes, promises, streams, actors, timers.
// One thread: that of their machine. tasks.hpp says in which order they run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lang/vela/run/internal/code.hpp"
#include "lang/vela/run/internal/thing.hpp"

namespace gyre::vela::vm {

class Vm;
struct ActorAddress;
struct SharedPromise;
struct ActorRef;
struct TaskHandle;
struct VelaTask;
struct Stack;

// How a body stopped: it awaits the future `value`, yields a value, has ended with a value or with
// an error, or was interrupted at a back edge.
enum class StepKind : std::uint8_t { waits, yields, ends, fails, interrupted };
struct Step {
    StepKind kind = StepKind::ends;
    Word value = Word::nothing();
};

// How it is resumed: with the awaited value (void at the start and after a yield), with an error to
// throw there, to close a generator (its yield acts as a return), or where it was interrupted.
enum class ResumeKind : std::uint8_t { value, error, close, go_on };
struct Resume {
    ResumeKind kind = ResumeKind::value;
    Word value = Word::nothing();
};

// A body that can be resumed.
class Routine {
public:
    virtual ~Routine() = default;
    virtual Step resume(Vm& vm, const Resume& with) = 0;
    virtual void trace(Marker& marker) = 0;
};

enum class FutureState : std::uint8_t { unstarted, running, fulfilled, rejected };

// Called at once when a future settles.
class Callback {
public:
    virtual ~Callback() = default;
    virtual void on_settled(Vm& vm) = 0;
    virtual void trace(Marker& marker) = 0;
};

// What waits for a future: a task, which is woken, or a callback.
struct Waiter {
    VelaTask* task = nullptr;
    std::unique_ptr<Callback> callback;
};

// A Future of the language. `tail` of a Frame is its registers.
struct Deferred : Thing {
    explicit Deferred(std::string_view of, Kind as = Kind::future) noexcept : Thing(as), name(of) {}
    void trace(Marker& marker) override;
    // Runs its body, if it has one, up to its next stop.
    virtual Step resume(Vm& vm, const Resume& with);

    [[nodiscard]] bool is_settled() const noexcept { return state >= FutureState::fulfilled; }

    std::string_view name;  // of the async fn, for reports
    FutureState state = FutureState::unstarted;
    bool is_observed = false;  // it was awaited: its failure is not reported as unhandled
    bool is_frame = false;
    Word result;  // or the error
    // In order of arrival; most have one, which is in place if it is a task.
    VelaTask* first_waiting = nullptr;
    std::unique_ptr<std::vector<Waiter>> others_waiting;
    void add_waiter(VelaTask& task) {
        if (first_waiting == nullptr && others_waiting == nullptr) {
            first_waiting = &task;
        } else {
            add_behind({&task, nullptr});
        }
    }
    void add_behind(Waiter waiter);
};

// What an awaiter is resumed with when the future has settled.
[[nodiscard]] inline Resume result_of(const Deferred& future) noexcept {
    const bool is_error = future.state == FutureState::rejected;
    return {is_error ? ResumeKind::error : ResumeKind::value, future.result};
}

// The Future of a call: its registers, and where it goes on.
struct Frame final : Deferred {
    explicit Frame(const Function* of) noexcept;
    static std::size_t tail_bytes(const Function* of) noexcept {
        return of->slot_count * sizeof(Slot);
    }
    void trace(Marker& marker) override;
    Step resume(Vm& vm, const Resume& with) override;
    [[nodiscard]] Slot* registers() noexcept { return reinterpret_cast<Slot*>(this + 1); }

    const Function* function;
    const Insn* at;  // the instruction to run next, or the await it waits at
    bool is_resting = false;
};

// A Future whose body is native.
struct NativeFuture final : Deferred {
    NativeFuture(std::string_view of, std::unique_ptr<Routine> with) noexcept
        : Deferred(of), routine(std::move(with)) {}
    void trace(Marker& marker) override;
    Step resume(Vm& vm, const Resume& with) override;
    std::unique_ptr<Routine> routine;
};

// The children of one `scope { }`.
struct Group final : Thing {
    Group() noexcept : Thing(Kind::group) {}
    void trace(Marker& marker) override;
    std::vector<TaskHandle*> children;
    std::optional<Word> failure;  // of the first child that failed
    bool is_closed = false;
    // While its body runs: its task and its async body.
    VelaTask* task = nullptr;
    Deferred* body = nullptr;
    std::optional<Word> interruption;  // the error thrown into the body when a child failed
};

// The Future that `spawn` gives.
struct TaskHandle final : Deferred {
    explicit TaskHandle(Deferred* of) noexcept : Deferred(of->name, Kind::task_handle), body(of) {}
    void trace(Marker& marker) override;
    // Awaits its body, then ends as that did.
    Step await_body(const Resume& with) noexcept {
        if (!std::exchange(is_body_awaited, true)) return {StepKind::waits, body};
        return {with.kind == ResumeKind::error ? StepKind::fails : StepKind::ends, with.value};
    }
    Deferred* body;
    VelaTask* task = nullptr;
    Group* group = nullptr;
    bool is_body_awaited = false;
    bool is_cancelled = false;
};

// A stack of futures. Most have three at most: these need no memory of their own.
class Chain {
public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] Deferred** begin() noexcept { return data(); }
    [[nodiscard]] Deferred** end() noexcept { return data() + size_; }
    [[nodiscard]] Deferred* const* begin() const noexcept { return data(); }
    [[nodiscard]] Deferred* const* end() const noexcept { return data() + size_; }
    [[nodiscard]] Deferred* operator[](std::size_t i) const noexcept { return data()[i]; }
    [[nodiscard]] Deferred* back() const noexcept { return data()[size_ - 1]; }
    void push_back(Deferred* future) {
        if (size_ == capacity_) [[unlikely]]
            grow();
        data()[size_++] = future;
    }
    void pop_back() noexcept { --size_; }
    void clear() noexcept { size_ = 0; }

private:
    static constexpr std::uint32_t inline_max = 3;
    [[nodiscard]] Deferred** data() noexcept { return more_ ? more_.get() : first_; }
    [[nodiscard]] Deferred* const* data() const noexcept { return more_ ? more_.get() : first_; }
    void grow();

    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = inline_max;
    Deferred* first_[inline_max] = {};
    std::unique_ptr<Deferred*[]> more_;
};

// A stack of futures, each awaited by the one before; the last runs or waits.
struct VelaTask final : Thing {
    VelaTask() noexcept;
    ~VelaTask() override;
    void trace(Marker& marker) override;
    Chain chain;
    Deferred* waits_on = nullptr;
    Resume next;  // how it is resumed in its turn
    bool is_queued = false;
    bool is_started = false;
    bool is_cancel_wanted = false;
    std::uint32_t number = 0;
    ActorRef* actor = nullptr;  // of a handler
    // The run of system:effects whose handlers answer what the task performs; tasks that it starts
    // have the same. Null: none.
    Thing* effects = nullptr;
    // Of a body that was interrupted: its calls, and where it goes on.
    std::unique_ptr<Stack> interrupted;
    const Insn* interrupted_at = nullptr;
    // In the list of tasks that have not ended.
    VelaTask* next_task = nullptr;
    VelaTask** link = nullptr;
};

struct Promise final : Thing {
    explicit Promise(Deferred* of) noexcept : Thing(Kind::promise), future(of) {}
    void trace(Marker& marker) override;
    Deferred* future;
    bool is_sent = false;  // an actor of this machine got it in a message
    // If other machines know it.
    SharedPromise* shared = nullptr;
};

// The Future of a Promise. It keeps the promise, through which other machines settle it.
struct PromiseFuture final : Deferred {
    PromiseFuture() noexcept : Deferred("") { state = FutureState::running; }
    void trace(Marker& marker) override;
    Promise* promise = nullptr;
};

// An AsyncIterator: a generator of the program, or a native one.
struct Stream final : Thing {
    explicit Stream(Frame* of) noexcept : Thing(Kind::stream), frame(of) {}
    explicit Stream(std::unique_ptr<Routine> of) noexcept
        : Thing(Kind::stream), routine(std::move(of)) {}
    void trace(Marker& marker) override;
    Step resume(Vm& vm, const Resume& with) {
        return frame != nullptr ? frame->resume(vm, with) : routine->resume(vm, with);
    }
    Frame* frame = nullptr;
    std::unique_ptr<Routine> routine;
    bool is_started = false;
    bool is_running = false;
    bool is_done = false;
};

struct ActorRef final : Thing {
    explicit ActorRef(Instance* of) noexcept : Thing(Kind::actor_ref), actor(of) {}
    void trace(Marker& marker) override;
    Instance* actor;  // null: it lives on another machine
    // Messages that wait for their turn, from `next_message` on.
    std::vector<Word> mailbox;
    std::size_t next_message = 0;
    // Its handler that was interrupted at a back edge: no other one runs until it goes on.
    VelaTask* busy = nullptr;
    std::size_t missed_turns = 0;  // of messages, meanwhile
    // If other machines know it.
    ActorAddress* address = nullptr;
};

}  // namespace gyre::vela::vm
