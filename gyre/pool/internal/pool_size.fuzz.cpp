// SPDX-License-Identifier: Apache-2.0
// Any text is either a pool size within the limits, or refused with a message.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/pool/internal/pool_size.hpp"

using namespace gyre::pool;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const PoolSize base{.thread_count = 3, .queued_count_max = 5};
    const auto parsed = parse_pool_size(text, base);
    if (!parsed) {
        GYRE_ASSERT(!parsed.error().empty(), "refused without a reason");
        return 0;
    }
    GYRE_ASSERT(parsed->thread_count >= 1, "a pool without threads");
    GYRE_ASSERT(parsed->thread_count <= thread_count_limit, "more threads than the limit");
    GYRE_ASSERT(parsed->queued_count_max >= 1, "a queue without places");
    GYRE_ASSERT(parsed->queued_count_max <= queued_count_limit, "a queue above the limit");
    if (!text.contains(',')) {
        GYRE_ASSERT(parsed->queued_count_max == base.queued_count_max, "the queue was not named");
    }
    return 0;
}
