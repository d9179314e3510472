// SPDX-License-Identifier: Apache-2.0
// OpRequest: any op of the kernel as a request of the loop: a file's read, or a kind of the host's
// own, served by a machine that PhasedLoop::add_server took in (name it as the op's destination).
// The op belongs to the caller and stays until the callback. Only the loop's thread.
#pragma once

#include "gyre/handle/active_request.hpp"

namespace gyre::handle {

class OpRequest final : public ActiveRequest {
public:
    // The op's result: a count or 0, or an error as its negative number.
    using OnDone = Callback<OpRequest&, std::int32_t>;

    explicit OpRequest(
        const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at) {}
    ~OpRequest() = default;

    [[nodiscard]] const char* kind() const noexcept override {
        return op_ == nullptr ? "op" : name_of(op_->code());
    }

    // The error `invalid_argument` while it is active.
    Status start(PhasedLoop& loop, gyre::Request& op, OnDone on_done) noexcept;
    // The op comes back through the callback, cancelled or with its result. The error
    // `invalid_argument` when it is not active.
    Status cancel() noexcept;

private:
    void on_done(Op& op) noexcept override;

    gyre::Request* op_ = nullptr;
    AnyCallback callback_;
};

}  // namespace gyre::handle
