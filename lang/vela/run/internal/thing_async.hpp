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

// A Future of the language. There may be very many: the flags are in what a Thing leaves free.
struct Deferred : Thing {
    explicit Deferred(Kind as = Kind::future) noexcept : Thing(as) {}
    void trace(Marker& marker) override;
    // Runs its body, if it has one, up to its next stop.
    virtual Step resume(Vm& vm, const Resume& with);
    // Of the async fn, for reports.
    [[nodiscard]] virtual std::string_view name() const noexcept { return {}; }

    [[nodiscard]] bool is_settled() const noexcept { return state >= FutureState::fulfilled; }

    FutureState state = FutureState::unstarted;
    bool is_observed : 1 = false;  // it was awaited: its failure is not reported as unhandled
    bool is_frame : 1 = false;
    bool is_resting : 1 = false;  // a Frame that waits at an await or a yield
    Word result;                  // or the error
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
static_assert(sizeof(Deferred) == 48);

// What an awaiter is resumed with when the future has settled.
[[nodiscard]] inline Resume result_of(const Deferred& future) noexcept {
    const bool is_error = future.state == FutureState::rejected;
    return {is_error ? ResumeKind::error : ResumeKind::value, future.result};
}

// The Future of a call: where it goes on, and behind it its registers.
struct Frame : Deferred {
    explicit Frame(const Function* of, Kind as = Kind::future) noexcept;
    static std::size_t tail_bytes(const Function* of) noexcept {
        return of->slot_count * sizeof(Slot);
    }
    void trace(Marker& marker) override;
    Step resume(Vm& vm, const Resume& with) override;
    [[nodiscard]] std::string_view name() const noexcept override { return function->future_name; }
    [[nodiscard]] Slot* registers() noexcept;

    const Function* function = nullptr;
    const Insn* at = nullptr;  // the instruction to run next, or the await it waits at

protected:
    explicit Frame(Kind as) noexcept : Deferred(as) {}
};

// A Future with a name, which work outside of the program settles.
struct NamedFuture : Deferred {
    explicit NamedFuture(std::string_view of) noexcept : name_(of) {}
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

private:
    std::string_view name_;
};

// A Future whose body is native.
struct NativeFuture final : NamedFuture {
    NativeFuture(std::string_view of, std::unique_ptr<Routine> with) noexcept
        : NamedFuture(of), routine(std::move(with)) {}
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

// The Future that `spawn` gives. The call that most spawn is its own body: the registers are behind
// it, and no other Future is made. Another Future that was spawned is awaited by it.
struct TaskHandle final : Frame {
    explicit TaskHandle(const Function* of) noexcept : Frame(of, Kind::task_handle) {}
    explicit TaskHandle(Deferred* of) noexcept : Frame(Kind::task_handle), body(of) {}
    using Frame::tail_bytes;
    static std::size_t tail_bytes(const Deferred* /*of*/) noexcept { return 0; }
    void trace(Marker& marker) override;
    [[nodiscard]] std::string_view name() const noexcept override {
        return body != nullptr ? body->name() : Frame::name();
    }
    // Awaits the other Future, then ends as that did.
    Step await_body(const Resume& with) noexcept {
        if (!std::exchange(is_body_awaited, true)) return {StepKind::waits, body};
        return {with.kind == ResumeKind::error ? StepKind::fails : StepKind::ends, with.value};
    }
    Deferred* body = nullptr;  // null: its own
    VelaTask* task = nullptr;  // from its first turn to its end
    Group* group = nullptr;
    std::uint32_t number = 0;
    bool is_body_awaited = false;
    bool is_cancelled = false;
};
inline Slot* Frame::registers() noexcept {
    const std::size_t offset = kind == Kind::task_handle ? sizeof(TaskHandle) : sizeof(Frame);
    return reinterpret_cast<Slot*>(reinterpret_cast<std::byte*>(this) + offset);
}
inline Frame::Frame(const Function* of, Kind as) noexcept
    : Deferred(as), function(of), at(of->entry) {
    is_frame = true;
    Slot* const first = registers();
    // Most have few: the empty statement keeps the compiler from calling memset.
    for (Slot* slot = first; slot != first + of->slot_count; ++slot) {
        slot->bits = 0;
        asm volatile("");
    }
}

// A stack of futures. Most have two at most: these need no memory of their own.
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
    static constexpr std::uint32_t inline_max = 2;
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
    [[nodiscard]] Resume take_next() noexcept {
        return {std::exchange(next_kind, ResumeKind::value),
                std::exchange(next_value, Word::nothing())};
    }
    void set_next(const Resume& with) noexcept {
        next_kind = with.kind;
        next_value = with.value;
    }

    ResumeKind next_kind = ResumeKind::value;  // how it is resumed in its turn
    bool is_queued : 1 = false;
    bool is_started : 1 = false;
    bool is_cancel_wanted : 1 = false;
    std::uint32_t number = 0;
    Chain chain;
    Deferred* waits_on = nullptr;
    Word next_value = Word::nothing();
    ActorRef* actor = nullptr;  // of a handler
    // The run of system:effects whose handlers answer what the task performs; tasks that it starts
    // have the same. Null: none.
    Thing* effects = nullptr;
    // Of a body that was interrupted: its calls, and where it goes on.
    std::unique_ptr<Stack> interrupted;
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
    PromiseFuture() noexcept { state = FutureState::running; }
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
    // Of a handler that has ended: the next one takes its place.
    Frame* spare = nullptr;
    // If other machines know it.
    ActorAddress* address = nullptr;
};

}  // namespace gyre::vela::vm
