// SPDX-License-Identifier: Apache-2.0
// The fixture of the tests about datagrams: a loop on each platform, and two buffers.
#pragma once

#include <array>

#include "gyre/handle/udp.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {

class UvUdp : public testing::TestWithParam<std::string> {
protected:
    test::HandleWorld world{GetParam()};
    PhasedLoop& loop = world.loop();
    std::array<std::byte, 64> buffer{};
    std::array<std::byte, 64> other_buffer{};

    // Where the handle can be reached.
    static Address bind(Udp& handle) {
        EXPECT_TRUE(handle.bind(Address::loopback()).get());
        return handle.local_address().value();
    }
    // An address that nobody has, and that the system gives to nobody.
    static Address nobody() { return Address::loopback(1); }
};

inline void expect_sent(UdpSend& /*request*/, Status status) {
    EXPECT_TRUE(status.has_value());
}

}  // namespace gyre::handle
