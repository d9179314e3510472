// SPDX-License-Identifier: Apache-2.0
// SimHostCalls: the HostCalls of a simulated computer, which knows the name "localhost", those of the
// hosts of its world, and the ports that are numbers. One thread; part of a SimHost.
#pragma once

#include "gyre/io/host_calls.hpp"
#include "gyre/sim/internal/sim_context.hpp"

namespace gyre::sim {

class Wire;

class SimHostCalls final : public HostCalls {
public:
    explicit SimHostCalls(SimContext& context) noexcept : context_(context) {}

    void join_wire(const Wire& wire) noexcept { wire_ = &wire; }

    [[nodiscard]] bool knows_hosts() const noexcept override { return wire_ != nullptr; }
    [[nodiscard]] Result<std::vector<Address>> addresses_of(const AddressQuery& query) override;
    [[nodiscard]] Result<HostName> name_of(const NameQuery& query) override;
    [[nodiscard]] Result<void> fill_random(Bytes into) override;
    [[nodiscard]] Result<std::size_t> receive_datagrams(Fd fd,
                                                        std::span<DatagramSlot> into) override;
    [[nodiscard]] Result<void> queue_datagram_errors(Fd fd, bool value) override;
    [[nodiscard]] Result<DatagramError> take_datagram_error(Fd fd) override;

private:
    // Of another host, and of this one by its name.
    [[nodiscard]] Result<std::vector<Address>> addresses_on_wire(const AddressQuery& query,
                                                                 std::uint16_t port) const;

    SimContext& context_;
    const Wire* wire_ = nullptr;  // null: no other host
};

}  // namespace gyre::sim
