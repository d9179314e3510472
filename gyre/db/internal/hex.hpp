// SPDX-License-Identifier: Apache-2.0
// hex_value: the value of a hexadecimal digit; -1 if it is none.
#pragma once

namespace gyre::db {

[[nodiscard]] constexpr int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace gyre::db
