// SPDX-License-Identifier: Apache-2.0
// Signal: what the machinery of one actor says to another. It passes by the mailbox, comes before
// every message, and has no limit: there is one for each thing that happens in the life of an
// actor. It belongs to whoever has it, on any thread.
#pragma once

#include <exception>

#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/envelope.hpp"
#include "gyre/task/posted.hpp"

namespace gyre::actor {

enum class SignalKind : std::uint8_t {
    start,        // it was spawned from another loop
    stop,         // drain, then end
    stop_now,     // end
    child_ended,  // `who` has ended; with a failure that is now this one's
    watch,        // tell `who` when this one has ended
    unwatch,
    ended,  // `who` has, which this one watches: over a wire; an actor here gets a Terminated
    link,   // end with `who`, where that fails
    unlink,
    link_failed,  // `who` has
};

class Signal final : public Posted, public Pooled {
public:
    // Makes the message that tells a watcher of an end; null: it is elsewhere, and gets a signal.
    using Tell = Envelope* (*)(Terminated end);

    Signal(SignalKind what, Cell& to, AnyRef about = {}) noexcept;

    const SignalKind kind;
    const AnyRef to;
    AnyRef who;
    std::exception_ptr failure;  // of child_ended, ended, link_failed
    Tell tell = nullptr;         // of watch
    Signal* next = nullptr;

private:
    static void on_arrival(Posted& message, Executor& at) noexcept;
};

}  // namespace gyre::actor
