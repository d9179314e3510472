// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/datagram.hpp"

namespace gyre::net {

Result<Received> ReceiveFrom::Await::outcome() {
    const Result<std::int32_t> result = take_result();
    if (!result) return std::unexpected(result.error());
    return Received{static_cast<std::size_t>(*result), from, is_truncated};
}

Result<void> SendTo::Await::outcome() {
    return take_void_result();
}

std::string OpenDatagram::Await::doing() const {
    const bool is_bound = plan_.at.family() != Address::Family::none;
    return "open a datagram socket for " + (is_bound ? plan_.at : plan_.to).to_string();
}

Result<Datagram> OpenDatagram::Await::outcome() {
    const Result<Fd> made = sockets_.datagram(plan_.family);
    if (!made) return std::unexpected(made.error());
    Datagram socket(sockets_, *made);
    if (plan_.at.family() != Address::Family::none) {
        const Result<void> bound = sockets_.bind(*made, plan_.at, plan_.options);
        if (!bound) return std::unexpected(bound.error());
    }
    if (plan_.to.family() != Address::Family::none) {
        const Result<void> connected = socket.connect(plan_.to);
        if (!connected) return std::unexpected(connected.error());
    }
    return socket;
}

}  // namespace gyre::net
