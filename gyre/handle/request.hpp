// SPDX-License-Identifier: Apache-2.0
// ActiveRequest: a short-lived operation on a PhasedLoop with one callback, as libuv's uv_req_t:
// the base of writes, connects and sends. Also here: Work (a function on a thread of the pool),
// Deferred (a callback in the next pending phase) and OpRequest (any op of the kernel).
//
//     Work work(loop);
//     work.queue([&] { hash = hash_file(path); },
//                [](Work&, Status status) { report(status); });
//
// Thread: the loop's own; any thread for operations that return a CallResult.
// Lifetime: the caller owns its memory, until the callback; the callback may free it or start it
// again. From its start until the callback it keeps the loop alive.
#pragma once

#include <exception>
#include <source_location>

#include "gyre/handle/handle.hpp"
#include "gyre/io/op_kinds.hpp"
#include "gyre/kernel/offload.hpp"

namespace gyre::handle {

struct RequestLinks;
struct PendingLinks;

class ActiveRequest : public Link<RequestLinks>, public Link<PendingLinks>, protected OpReceiver {
public:
    ActiveRequest(const ActiveRequest&) = delete;
    ActiveRequest& operator=(const ActiveRequest&) = delete;

    [[nodiscard]] virtual const char* kind() const noexcept = 0;
    [[nodiscard]] const std::source_location& made_at() const noexcept { return made_at_; }
    [[nodiscard]] bool is_active() const noexcept {
        return static_cast<const Link<RequestLinks>&>(*this).is_linked();
    }

    // While this request is active the loop never blocks: for an operation that the host polls by
    // itself. Set it before the start.
    void set_do_not_wait(bool value) noexcept { is_do_not_wait_ = value; }
    [[nodiscard]] bool is_do_not_wait() const noexcept { return is_do_not_wait_; }

protected:
    explicit ActiveRequest(const std::source_location& made_at) noexcept : made_at_(made_at) {}
    ~ActiveRequest();

    void begin(PhasedLoop& loop) noexcept;
    void end() noexcept;
    // Calls on_pending in the next pending phase: for a result that is known inside the call that
    // starts the request.
    void defer() noexcept;
    virtual void on_pending() noexcept {}
    // The op that an Offload may be working on.
    [[nodiscard]] virtual Op* offloaded_op() noexcept { return nullptr; }
    void on_done(Op& /*op*/) noexcept override {}
    void submit(gyre::Request& op) noexcept;
    // Machine::submit_now: an error means that the op was refused.
    [[nodiscard]] Status submit_now(gyre::Request& op) noexcept;
    void cancel(Op& op) noexcept;
    [[nodiscard]] PhasedLoop* loop() const noexcept { return loop_; }

private:
    friend class PhasedLoop;

    PhasedLoop* loop_ = nullptr;
    std::source_location made_at_;
    bool is_do_not_wait_ = false;
};

// Calls back in the next pending phase, before the hooks and the wait: for a host that knows a
// result inside the call that asks for it, and must not call back there.
class Deferred final : public ActiveRequest {
public:
    using OnPending = Callback<Deferred&>;

    explicit Deferred(
        const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at) {}
    ~Deferred() = default;

    [[nodiscard]] const char* kind() const noexcept override { return "deferred"; }
    // The error `invalid_argument` while it is active.
    CallResult<Status> start(PhasedLoop& loop, OnPending on_pending);
    // Takes it back: the callback is not called, and the request is idle when this returns on the
    // loop's thread. The error `invalid_argument` when it is not active. After a start.
    CallResult<Status> cancel();

private:
    void on_pending() noexcept override;
    AnyCallback callback_;
};

// Any op of the kernel as a request: a file read, or an op kind of the host's own, served by a
// machine that was passed to PhasedLoop::add_server (set it as the op's destination). The op
// belongs to the caller and stays until the callback. Only the loop's thread.
class OpRequest final : public ActiveRequest {
public:
    // The op's result: a count or 0, or an error as its negative number.
    using OnDone = Callback<OpRequest&, std::int32_t>;

    explicit OpRequest(
        const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at) {}
    ~OpRequest() = default;

    [[nodiscard]] const char* kind() const noexcept override {
        return op_ == nullptr ? "op" : name_of(io_code(op_->code()));
    }

    // The error `invalid_argument` while it is active.
    Status start(PhasedLoop& loop, gyre::Request& op, OnDone on_done) noexcept;
    // The op comes back through the callback, cancelled or with its result. The error
    // `invalid_argument` when it is not active.
    Status cancel() noexcept;

private:
    [[nodiscard]] Op* offloaded_op() noexcept override { return op_; }
    void on_done(Op& op) noexcept override;

    gyre::Request* op_ = nullptr;
    AnyCallback callback_;
};

// Runs a function on a thread of the loop's Offload and calls back on the loop's thread. The
// function must not touch the loop, except through operations for any thread.
class Work final : public ActiveRequest, private WorkOp {
public:
    // "operation canceled" when it was cancelled in time, "state not recoverable" when the function
    // threw: see exception().
    using OnDone = Callback<Work&, Status>;

    explicit Work(PhasedLoop& home,
                  const std::source_location& made_at = std::source_location::current()) noexcept
        : Work(home, {}, made_at) {}
    // Which threads of the Offload run it, and its name in alive_reasons.
    struct Options {
        WorkKind threads = WorkKind::user;
        const char* name = "work";
    };
    Work(PhasedLoop& home, Options options,
         const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at),
          WorkOp(&run_function, options.threads),
          home_(home),
          name_(options.name) {}
    ~Work() = default;

    [[nodiscard]] const char* kind() const noexcept override { return name_; }
    [[nodiscard]] PhasedLoop& home() const noexcept { return home_; }

    // The pool has the work when this returns. While the pool's queue is full it waits in the loop,
    // which hands it over, in order, as soon as there is room. The error `invalid_argument` while it
    // is active, `function_not_supported` on a loop without an Offload.
    CallResult<Status> queue(Callback<> function, OnDone on_done);
    // Queued work never runs and comes back as cancelled. The error `device_or_resource_busy` when
    // it has begun already, `invalid_argument` when it is not active. From the start to the
    // callback.
    CallResult<Status> cancel();

    // The exception of the function, or null.
    [[nodiscard]] std::exception_ptr exception() const noexcept { return exception_; }

private:
    friend class PhasedLoop;

    static std::int32_t run_function(WorkOp& op) noexcept;
    Status queue_here() noexcept;
    Status cancel_here() noexcept;
    void finish(Status status) noexcept;
    void on_done(Op& op) noexcept override;
    void on_pending() noexcept override;
    [[nodiscard]] Op* offloaded_op() noexcept override { return this; }

    PhasedLoop& home_;
    const char* name_;
    Callback<> function_;
    AnyCallback callback_;
    std::exception_ptr exception_;
};

}  // namespace gyre::handle
