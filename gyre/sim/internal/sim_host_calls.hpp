// SPDX-License-Identifier: Apache-2.0
// SimHostCalls: the HostCalls of a simulated computer, which knows the name "localhost" and the
// ports that are numbers. One thread; part of a SimHost.
#pragma once

#include "gyre/io/host_calls.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class SimHostCalls final : public HostCalls {
public:
    explicit SimHostCalls(SimContext& context) noexcept : context_(context) {}

    [[nodiscard]] Result<std::vector<Address>> addresses_of(const AddressQuery& query) override;
    [[nodiscard]] Result<HostName> name_of(const NameQuery& query) override;
    [[nodiscard]] Result<void> fill_random(Bytes into) override;
    [[nodiscard]] Result<std::size_t> receive_datagrams(Fd fd,
                                                        std::span<DatagramSlot> into) override;
    [[nodiscard]] Result<void> queue_datagram_errors(Fd fd, bool value) override;
    [[nodiscard]] Result<DatagramError> take_datagram_error(Fd fd) override;

private:
    SimContext& context_;
};

}  // namespace gyre::sim
