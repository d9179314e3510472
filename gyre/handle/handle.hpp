// SPDX-License-Identifier: Apache-2.0
// Handle: something long-lived on a PhasedLoop, which calls back until it is stopped. The base of
// timers, hooks, wakes, polls, signals and streams.
//
//   idle ──start──▶ active ──stop──▶ idle        an active handle with a reference keeps the loop
//   alive
//     └──close──▶ closing ──its ops are back──▶ closed (the close callback runs, in its own phase)
//
// Threads: a handle may be made by any thread, and every operation that returns a Carried may be
// called by any thread. Exceptions, each for the loop's own thread only (from elsewhere ask through
// PhasedLoop::call): is_active, is_closing, has_ref, and what a derived class says in the same
// place.
//
// Life: a handle that was ever started must be closed, and its memory stays until the close
// callback, which is the first moment at which it may be freed. Callbacks run on the loop's thread.
#pragma once

#include <cstdint>
#include <source_location>
#include <utility>

#include "gyre/base/callback.hpp"
#include "gyre/handle/carried.hpp"
#include "gyre/kernel/standing_op.hpp"

namespace gyre::handle {

class PhasedLoop;
struct HandleLinks;

// Callbacks of handles and requests must not throw: nobody above them could tell what to do.
using gyre::Callback;

// Whom the loop tells about an op: a handle or a request. It outlives the op's flight.
class OpReceiver {
public:
    virtual void on_done(Op& op) noexcept = 0;
    virtual void on_rung(StandingOp& /*op*/) noexcept {}

protected:
    ~OpReceiver() = default;
};

class Handle : public Link<HandleLinks>, protected OpReceiver {
public:
    using CloseCallback = Callback<Handle&>;

    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    [[nodiscard]] PhasedLoop& loop() const noexcept { return loop_; }
    // "timer", "tcp": for reports.
    [[nodiscard]] virtual const char* kind() const noexcept = 0;
    [[nodiscard]] const std::source_location& made_at() const noexcept { return made_at_; }

    [[nodiscard]] bool is_active() const noexcept { return has(active); }
    // From the close call on, also when it is closed.
    [[nodiscard]] bool is_closing() const noexcept { return has(closing) || has(closed); }
    [[nodiscard]] bool has_ref() const noexcept { return !has(unreferenced); }

    // Whether the handle keeps the loop alive while it is active; at first it does. Saying it twice
    // changes nothing.
    Carried<Status> ref();
    Carried<Status> unref();

    // Stops the handle. The callback runs once, later, in the close phase, never inside this call.
    // The error `invalid_argument` when the handle is closing already.
    Carried<Status> close(CloseCallback on_closed = {});

protected:
    Handle(PhasedLoop& loop, const std::source_location& made_at) noexcept
        : loop_(loop), made_at_(made_at) {}
    ~Handle();

    [[nodiscard]] static Status error(std::errc code) noexcept {
        return std::unexpected(Error(code));
    }

    // What a derived class does on the loop's thread.
    [[nodiscard]] Status check_open() const noexcept;  // an error once it is closing
    void enlist() noexcept;  // from now on it must be closed, active or not
    void activate() noexcept;
    void deactivate() noexcept;
    void submit(gyre::Request& op) noexcept;
    void cancel(Op& op) noexcept;
    // Calls `function` here, or on the loop's thread.
    template <class Function>
    auto carry(Function function);

    // Stops, and asks for whatever must be back before the handle is closed.
    virtual void on_close() noexcept = 0;
    // Whether it is.
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
    // Free for the derived class, so that small states cost no word.
    std::uint8_t bits_ = 0;
};

}  // namespace gyre::handle
