// SPDX-License-Identifier: Apache-2.0
// Bytes, ConstBytes: views of memory; reads fill Bytes, writes take ConstBytes.
//
//     co_await stream.write(bytes_of("hello"));
//
// Thread: as for the memory viewed.
// Lifetime: a view owns nothing; the memory outlives it.
#pragma once

#include "gyre/base/detail/compiler.hpp"  // first: checks the compiler

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
    // char may alias any type, so reading bytes as text is allowed.
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace gyre
