// SPDX-License-Identifier: Apache-2.0
// Handle: a long-lived object on a PhasedLoop that calls back until it is stopped, as libuv's
// uv_handle_t: the base of timers, hooks, asyncs, polls, signals and streams. Also here:
// CallResult<T>, the result of an operation that any thread may call.
//
//     timer.unref();                        // does not keep the loop alive any more
//     timer.close([](Handle& closed) { delete static_cast<Timer*>(&closed); });
//
// Thread: any thread may make a handle and call the operations that return a CallResult. The
// others are for the loop's own thread (elsewhere use PhasedLoop::call). Callbacks run on the
// loop's thread.
// Lifetime: the caller owns its memory. A handle that was ever started must be closed; it may be
// freed in its close callback, not before. One that was made on the loop's thread and never started
// is freed there.
//
//   idle ──start──▶ active ──stop──▶ idle       an active, referenced handle keeps the loop alive
//     └──close──▶ closing ──its ops are back──▶ closed (the close callback runs in the close phase)
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <source_location>
#include <utility>

#include "gyre/base/detail/callback.hpp"
#include "gyre/base/detail/intrusive.hpp"
#include "gyre/base/result.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/standing_op.hpp"

namespace gyre::handle {

class PhasedLoop;
struct HandleLinks;
struct LateLinks;
struct SentLinks;

using Status = Result<void>;

// Callbacks of handles and requests must not throw: the loop has no caller to report it to.
using gyre::Callback;

// The shared state of a call from a foreign thread: holds its result. The caller and the call own
// it together; the last owner frees it. Both threads use it, under its mutex.
template <class T>
class CallState {
public:
    void put(T value) {
        const std::lock_guard lock(mutex_);
        value_.emplace(std::move(value));
        arrived_.notify_one();
    }
    // Nothing if the value did not arrive in time.
    [[nodiscard]] std::optional<T> take_within(Duration limit) {
        std::unique_lock lock(mutex_);
        if (!arrived_.wait_for(lock, limit, [this] { return value_.has_value(); })) return {};
        return std::move(*value_);
    }
    [[nodiscard]] bool is_there() {
        const std::lock_guard lock(mutex_);
        return value_.has_value();
    }
    static void leave(CallState* state) noexcept {
        bool is_last = false;
        {
            const std::lock_guard lock(state->mutex_);
            is_last = --state->owner_count_ == 0;
        }
        if (is_last) delete state;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::optional<T> value_;
    int owner_count_ = 2;
};

// The result of an operation that any thread may call. On the loop's own thread it is ready at
// once. On a foreign thread the call is posted to the loop, in the order of that thread's calls,
// and `get` waits for it. Dropping a CallResult does not cancel the call. It belongs to the thread
// that made the call.
template <class T>
class CallResult {
public:
    CallResult(T value) : value_(std::move(value)) {}  // implicit: on the loop's own thread
    CallResult(CallState<T>& state, Duration wait_max) noexcept
        : state_(&state), wait_max_(wait_max) {}
    CallResult(CallResult&& other) noexcept
        : value_(std::move(other.value_)),
          state_(std::exchange(other.state_, nullptr)),
          wait_max_(other.wait_max_) {}
    CallResult& operator=(CallResult&&) = delete;
    ~CallResult() {
        if (state_ != nullptr) CallState<T>::leave(state_);
    }

    [[nodiscard]] bool is_there() const { return state_ == nullptr || state_->is_there(); }

    // Call it once. On a foreign thread it blocks until the loop has run the call, so another
    // thread must be running the loop. The error `owner_dead` when the loop was closed first, and
    // `timed_out` when nobody ran it for CallLimits::wait_max: the call stays on its way then, and
    // `get` may be called again.
    T get() {
        if (state_ == nullptr) return std::move(*value_);
        std::optional<T> arrived = state_->take_within(wait_max_);
        return arrived ? std::move(*arrived) : T(std::unexpected(Error(std::errc::timed_out)));
    }

private:
    std::optional<T> value_;
    CallState<T>* state_ = nullptr;
    Duration wait_max_{0};
};

// The receiver of an op's completion: a handle or a request. It outlives the op's flight.
class OpReceiver {
public:
    virtual void on_done(Op& op) noexcept = 0;
    virtual void on_rung(StandingOp& /*op*/) noexcept {}

protected:
    ~OpReceiver() = default;
};

// Something that a loop reports after all I/O that was there before it, such as the end of a child
// after its output. It is taken out of the loop's list before it is freed.
class LateReport : public Link<LateLinks> {
public:
    virtual void report() noexcept = 0;

protected:
    ~LateReport() = default;
};

class Handle : public Link<HandleLinks>, protected OpReceiver {
public:
    using CloseCallback = Callback<Handle&>;

    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    [[nodiscard]] PhasedLoop& loop() const noexcept { return loop_; }
    // "timer", "tcp": for alive_reasons.
    [[nodiscard]] virtual const char* kind() const noexcept = 0;
    [[nodiscard]] const std::source_location& made_at() const noexcept { return made_at_; }

    [[nodiscard]] bool is_active() const noexcept { return has(active); }
    // True from the call of `close` on, also when it is closed.
    [[nodiscard]] bool is_closing() const noexcept { return has(closing) || has(closed); }
    [[nodiscard]] bool has_ref() const noexcept { return !has(unreferenced); }
    // Whether it was started and is not closed: it must not be freed then.
    [[nodiscard]] bool must_be_closed() const noexcept { return has(enlisted) || has(closing); }

    // Whether the handle keeps the loop alive while it is active (the default). Idempotent.
    CallResult<Status> ref();
    CallResult<Status> unref();

    // Stops the handle. The callback runs once, later, in the close phase, never inside this call.
    // The error `invalid_argument` when the handle is closing already.
    CallResult<Status> close(CloseCallback on_closed = {});

protected:
    Handle(PhasedLoop& loop, const std::source_location& made_at) noexcept;
    ~Handle();

    [[nodiscard]] static Status error(std::errc code) noexcept {
        return std::unexpected(Error(code));
    }

    // For derived classes, on the loop's thread.
    [[nodiscard]] Status check_open() const noexcept;  // an error once it is closing
    void enlist() noexcept;  // from now on it must be closed, even if it is never active
    void activate() noexcept;
    void deactivate() noexcept;
    void submit(gyre::Request& op) noexcept;
    void cancel(Op& op) noexcept;
    // Machine::submit_now and withdraw_now: they take effect inside the call.
    [[nodiscard]] Status submit_now(gyre::Request& op) noexcept;
    [[nodiscard]] bool withdraw_now(Op& op) noexcept;
    void close_now(int fd) noexcept;
    // PhasedLoop::call: runs `function` on the loop's thread.
    template <class Function>
    auto call_on_loop(Function function);

    // Stops the handle, and cancels the ops that must be back before it is closed.
    virtual void on_close() noexcept = 0;
    // Whether those ops are back.
    [[nodiscard]] virtual bool may_finish() const noexcept { return true; }
    // Right before the close callback.
    virtual void on_finish() noexcept {}
    void on_done(Op& /*op*/) noexcept override {}

    AnyCallback callback_;  // the close callback once it is closing

private:
    friend class PhasedLoop;

    enum Flag : std::uint8_t {
        active = 1u << 0u,
        unreferenced = 1u << 1u,
        closing = 1u << 2u,
        closed = 1u << 3u,
        enlisted = 1u << 4u,  // it was started: it must be closed
    };
    [[nodiscard]] bool has(Flag flag) const noexcept { return (flags_ & flag) != 0; }
    void set(Flag flag, bool value) noexcept {
        flags_ = static_cast<std::uint8_t>(value ? flags_ | flag : flags_ & ~flag);
    }
    Status set_ref(bool value) noexcept;
    Status close_here(CloseCallback on_closed) noexcept;
    void finish_close() noexcept;

    PhasedLoop& loop_;
    std::source_location made_at_;
    std::uint8_t flags_ = 0;

protected:
    // Flags of the derived class: they fit into the padding.
    std::uint8_t bits_ = 0;
};

}  // namespace gyre::handle
