// SPDX-License-Identifier: Apache-2.0
// Deferred: a request that calls back in the next pending phase, before the hooks and the wait. For
// a host that knows a result inside the call that asked for it, and must not tell it there. `start`
// may be called by any thread.
#pragma once

#include "gyre/handle/active_request.hpp"

namespace gyre::handle {

class Deferred final : public ActiveRequest {
public:
    using OnPending = Callback<Deferred&>;

    explicit Deferred(
        const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at) {}
    ~Deferred() = default;

    [[nodiscard]] const char* kind() const noexcept override { return "deferred"; }
    // The error `invalid_argument` while it is active.
    Carried<Status> start(PhasedLoop& loop, OnPending on_pending);

private:
    void on_pending() noexcept override;
    AnyCallback callback_;
};

}  // namespace gyre::handle
