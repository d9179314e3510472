// SPDX-License-Identifier: Apache-2.0
// UdpSend: one datagram on its way out of a Udp handle, which starts it. It calls back once with
// its status, "operation canceled" when the handle was closed first. Data and request belong to the
// caller and stay until the callback. Only the loop's thread; the handle's call carries it there.
#pragma once

#include "gyre/handle/active_request.hpp"
#include "gyre/kernel/datagram_ops.hpp"

namespace gyre::handle {

class Udp;

class UdpSend final : public ActiveRequest {
public:
    using OnDone = Callback<UdpSend&, Status>;

    explicit UdpSend(const std::source_location& made_at = std::source_location::current()) noexcept
        : ActiveRequest(made_at), op_(-1, ConstBytes(), Address()) {}
    [[nodiscard]] const char* kind() const noexcept override { return "udp_send"; }
    [[nodiscard]] Udp& handle() const noexcept { return *handle_; }

private:
    friend class Udp;
    void on_done(Op& op) noexcept override;

    Udp* handle_ = nullptr;
    AnyCallback callback_;
    SendToOp op_;
};

}  // namespace gyre::handle
