// SPDX-License-Identifier: Apache-2.0
// Sockets: makes and describes the descriptors that I/O ops work on; none of its calls blocks. Part
// of a Platform, for its loop's thread. A descriptor belongs to whoever asked for it: close it with
// a CloseOp, or with close_now when no loop runs any more.
#pragma once

#include <array>

#include "gyre/base/result.hpp"
#include "gyre/kernel/address.hpp"

namespace gyre {

// A descriptor of this platform: the system's, or the simulation's.
using Fd = int;

struct ListenOptions {
    int backlog = 1024;
    bool share_port = false;  // several listeners on one port, one a loop
};

class Sockets {
public:
    virtual ~Sockets() = default;

    [[nodiscard]] virtual Result<Fd> listen(const Address& at, ListenOptions options) = 0;
    // For a ConnectOp to an address of this family.
    [[nodiscard]] virtual Result<Fd> stream(Address::Family family) = 0;
    [[nodiscard]] virtual Result<std::array<Fd, 2>> stream_pair() = 0;
    [[nodiscard]] virtual Result<Address> local_address(Fd fd) = 0;
    // Ends the sending side: the peer reads what was sent, then the end.
    [[nodiscard]] virtual Result<void> end_sending(Fd fd) = 0;
    virtual void close_now(Fd fd) noexcept = 0;
};

}  // namespace gyre
