// SPDX-License-Identifier: Apache-2.0
// Message: one datagram as a msghdr. It points into itself and into the op's buffer, so it must not
// move until the call or the request is done. Only the loop's thread; part of a platform, or on the
// stack of one attempt.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include "gyre/base/bytes.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/platform/internal/system/socket_calls.hpp"

namespace gyre::platform {

class Message {
public:
    Message() noexcept = default;
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;

    // For a receive.
    void prepare(Bytes into) noexcept;
    // For a send; an address without a family means the connected peer. 0, or an error number.
    [[nodiscard]] std::int32_t prepare(ConstBytes data, const Address& to) noexcept;
    [[nodiscard]] msghdr* header() noexcept { return &header_; }

    // Copies the sender and the truncation flag to the op.
    void tell(ReceiveFromOp& op) noexcept;

private:
    SystemAddress address_;
    iovec piece_{};
    msghdr header_{};
};

}  // namespace gyre::platform
