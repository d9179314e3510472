// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/passing.hpp"

#include <utility>

#include "gyre/base/assert.hpp"

namespace gyre::net {

ReceiveDescriptors::Await::~Await() {
    for (const Fd passed : room.first(passed_count)) sockets_.close_now(passed);
}

Result<Passed> ReceiveDescriptors::Await::outcome() {
    const Result<std::int32_t> result = take_result();
    if (!result) return std::unexpected(result.error());
    const std::size_t count = std::exchange(passed_count, 0);
    GYRE_ASSERT(count <= room.size(), "a platform passed %zu descriptors into room for %zu", count,
                room.size());
    return Passed{static_cast<std::size_t>(*result), count, is_cut_off};
}

}  // namespace gyre::net
