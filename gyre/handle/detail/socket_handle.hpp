// SPDX-License-Identifier: Apache-2.0
// SocketHandle: the common base of StreamHandle and Udp: a descriptor that is closed with the handle, in the call, and
// a receive op that is submitted again while the handle is receiving. Data that arrives after a
// stop stays in its buffer and is reported by the next start. Only the loop's own thread; lifetime
// as Handle.
//
//   idle ──start──▶ receiving ◀──each arrival is reported──┐
//    ▲                 │ └──────────────────────────────────┘
//    └─────stop────────┘   an arrival after it is held
#pragma once

#include <cstdint>

#include "gyre/handle/handle.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/io/socket_ops.hpp"

namespace gyre::handle {

template <class Receive>
class SocketHandle : public Handle {
public:
    [[nodiscard]] Fd fd() const noexcept { return fd_; }

protected:
    SocketHandle(PhasedLoop& loop, const std::source_location& made_at) noexcept
        : Handle(loop, made_at), receive_(-1, Bytes()) {}
    ~SocketHandle() = default;

    enum Bit : std::uint8_t {
        receiving = 1,
        holding = 2,  // data arrived while the handle was stopped
        telling = 4,  // a Deferred that reports it is active
        first_of_derived = 8,
    };
    [[nodiscard]] bool has_bit(unsigned bit) const noexcept { return (bits_ & bit) != 0; }
    void set_bit(unsigned bit, bool value) noexcept {
        bits_ = static_cast<std::uint8_t>(value ? bits_ | bit : bits_ & ~bit);
    }

    // Calls the callback with the result of receive_.
    virtual void tell() noexcept = 0;

    // The errors `connection_already_in_progress` and `invalid_argument`.
    [[nodiscard]] Status check_receive(Bytes buffer, const AnyCallback& callback) const noexcept;
    void start_receiving(Bytes buffer, AnyCallback callback) noexcept;
    void stop_receiving() noexcept;
    void receive_next() noexcept;

    void on_done(Op& op) noexcept override;
    void on_close() noexcept override;
    [[nodiscard]] bool may_finish() const noexcept override {
        return !receive_.is_in_flight() && !has_bit(telling);
    }

    Fd fd_ = -1;
    Receive receive_;

private:
    void tell_later() noexcept;

    Bytes next_buffer_;
};

extern template class SocketHandle<ReceiveOp>;
extern template class SocketHandle<ReceiveFromOp>;

}  // namespace gyre::handle
