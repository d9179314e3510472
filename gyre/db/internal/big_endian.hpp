// SPDX-License-Identifier: Apache-2.0
// Big-endian numbers in bytes, as PostgreSQL's protocol has them.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>

#include "gyre/base/assert.hpp"
#include "gyre/base/bytes.hpp"

namespace gyre::db {

template <std::integral T>
[[nodiscard]] T from_big_endian(ConstBytes bytes) noexcept {
    GYRE_ASSERT(bytes.size() >= sizeof(T), "%zu bytes hold no number of %zu", bytes.size(),
                sizeof(T));
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
    return value;
}

template <std::integral T>
void append_big_endian(std::string& to, T value) {
    if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
    to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace gyre::db
