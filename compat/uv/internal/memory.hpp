// SPDX-License-Identifier: Apache-2.0
// Memory that is handed to the program, through the allocator that uv_replace_allocator sets.
// Any thread may use it; the allocator is set before the first use.
#pragma once

#include <cstddef>
#include <string_view>

#include "compat/uv/internal/newer.hpp"

namespace gyre::uv {

[[nodiscard]] void* allocate(std::size_t size) noexcept;
void release(void* memory) noexcept;
// Ends in a zero; null when there is no memory.
[[nodiscard]] char* copy_text(std::string_view text) noexcept;

// Copies a text as most functions of the interface return one: `*size` is the room, and afterwards
// the length, or what it takes with UV_ENOBUFS.
[[nodiscard]] int put_text(std::string_view text, char* buffer, std::size_t* size) noexcept;

}  // namespace gyre::uv
