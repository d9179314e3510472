// SPDX-License-Identifier: Apache-2.0
// Views of bytes, the currency of reads and writes. A view owns nothing: the memory must outlive
// it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace gyre {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

[[nodiscard]] inline ConstBytes bytes_of(std::string_view text) noexcept {
    return std::as_bytes(std::span(text.data(), text.size()));
}

[[nodiscard]] inline std::string_view text_of(ConstBytes bytes) noexcept {
    // char may alias anything, so that reading bytes as text is allowed.
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace gyre
