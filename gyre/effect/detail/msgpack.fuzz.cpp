// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes are a value or an error, and a value that was decoded is the same after it
// was encoded and decoded again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "gyre/effect/detail/msgpack.hpp"

using namespace gyre::effect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto value = decode_msgpack(input, {.size_max_bytes = 4'096, .depth_max = 20});
    if (!value) {
        GYRE_ASSERT(!value.error().message.empty(), "an error without a message");
        return 0;
    }
    const std::string again = encode_msgpack(*value);
    GYRE_ASSERT(again.size() <= 9 * (size + 1), "an encoding is longer than it can be");
    const auto second = decode_msgpack(again, {.depth_max = 20});
    GYRE_ASSERT(second.has_value(), "an encoded value cannot be decoded");
    GYRE_ASSERT(*second == *value, "a value has changed on its way");
    return 0;
}
