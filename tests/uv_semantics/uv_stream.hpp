// SPDX-License-Identifier: Apache-2.0
// The fixture of the tests about streams: a loop on each platform, and two streams joined on it.
#pragma once

#include <array>

#include "gyre/handle/stream_handle.hpp"
#include "tests/support/handle_world.hpp"

namespace gyre::handle {

class UvStream : public testing::TestWithParam<std::string> {
protected:
    test::HandleWorld world{GetParam()};
    PhasedLoop& loop = world.loop();
    std::array<std::byte, 64> buffer{};
    std::array<std::byte, 64> other_buffer{};

    void join(StreamHandle& near, StreamHandle& far) {
        const auto pair = loop.sockets().connection_pair().value();
        ASSERT_TRUE(near.open(pair[0]).get());
        ASSERT_TRUE(far.open(pair[1]).get());
    }
};

}  // namespace gyre::handle
