// SPDX-License-Identifier: Apache-2.0
// Async: wakes the loop from any thread and calls back on the loop's thread. Sends before the
// callback are coalesced; a send from inside the callback causes another callback. Callbacks of one
// wake run in the order in which their handles were started. `send` costs two atomic operations, and
// a system call only when the loop sleeps.
//
//     Async async(loop);
//     async.start([](Async&) { drain_queue(); });
//     std::thread producer([&] { push_to_queue(); async.send(); });
//
// Thread: any.
// Lifetime: as Handle; the callers of `send` make sure that the handle is not yet freed.
#pragma once

#include "gyre/handle/handle.hpp"

namespace gyre::handle {

class Async final : public Handle, public Link<SentLinks> {
public:
    using Handle::is_linked;
    using Handle::unlink;
    using OnSent = Callback<Async&>;

    explicit Async(PhasedLoop& loop,
                   const std::source_location& made_at = std::source_location::current()) noexcept
        : Handle(loop, made_at) {}

    [[nodiscard]] const char* kind() const noexcept override { return "async"; }

    // Call it once; the error `connection_already_in_progress` when it is active. A send before it
    // has no effect.
    CallResult<Status> start(OnSent on_sent);
    void send() noexcept { wake_.ring(); }

private:
    friend class PhasedLoop;

    void call() noexcept { callback_.call<Async&>(*this); }
    void on_rung(StandingOp& op) noexcept override;
    void on_close() noexcept override;
    [[nodiscard]] bool may_finish() const noexcept override { return !wake_.is_in_flight(); }

    std::uint64_t number_ = 0;  // of its start
    WakeOp wake_;
};

}  // namespace gyre::handle
