// SPDX-License-Identifier: Apache-2.0
// SystemHostCalls: the HostCalls of the operating system. It has no state: threads as HostCalls.
#pragma once

#include "gyre/io/host_calls.hpp"

namespace gyre::platform {

class SystemHostCalls final : public HostCalls {
public:
    [[nodiscard]] Result<std::vector<Address>> addresses_of(const AddressQuery& query) override;
    [[nodiscard]] Result<HostName> name_of(const NameQuery& query) override;
    [[nodiscard]] Result<void> fill_random(Bytes into) override;
    [[nodiscard]] Result<std::size_t> receive_datagrams(Fd fd,
                                                        std::span<DatagramSlot> into) override;
    [[nodiscard]] Result<void> queue_datagram_errors(Fd fd, bool value) override;
    [[nodiscard]] Result<DatagramError> take_datagram_error(Fd fd) override;
};

}  // namespace gyre::platform
