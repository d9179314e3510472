// SPDX-License-Identifier: Apache-2.0
// Signal: a control message between actors (start, stop, watch, link). It bypasses the mailbox and
// is taken before every message. It needs no limit: each event in an actor's life sends one. It is
// owned by the sender, then by the inbox between two loops, then by the receiver; any thread.
#pragma once

#include <exception>

#include "gyre/actor/any_ref.hpp"
#include "gyre/actor/detail/cell.hpp"
#include "gyre/task/core/detail/frame_pool.hpp"
#include "gyre/task/thread/detail/executor_message.hpp"

namespace gyre::actor {

enum class SignalKind : std::uint8_t {
    start,        // spawned from another loop
    stop,         // drain, then end
    stop_now,     // end
    child_ended,  // `who` has ended; a failure is now the parent's
    watch,        // tell `who` when this actor has ended
    unwatch,
    ended,  // `who`, which this remote actor watches, has ended; local actors get a Terminated
    link,   // fail when `who` fails
    unlink,
    link_failed,  // `who` has failed
};

class Signal final : public ExecutorMessage, public Pooled {
public:
    Signal(SignalKind what, Cell& to, AnyRef about = {}) noexcept;

    const SignalKind kind;
    const AnyRef to;
    AnyRef who;
    std::exception_ptr failure;     // of child_ended, ended, link_failed
    MakeTerminated tell = nullptr;  // of watch; null: the watcher is remote and gets a signal

private:
    static void on_arrival(ExecutorMessage& message, Executor& at) noexcept;
};

}  // namespace gyre::actor
