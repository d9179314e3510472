// SPDX-License-Identifier: Apache-2.0
// All forms of the global operator new and delete, as two functions: a test program that watches
// allocations compiles global_new.cpp and defines these. Any thread calls them, from before main
// until after it.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace gyre::test {

// Null: there is no memory.
[[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept;
void release(void* memory) noexcept;

// What the system gives.
[[nodiscard]] inline void* system_memory(std::size_t size, std::size_t alignment) noexcept {
    // aligned_alloc wants a multiple of the alignment, and nothing is still an address of its own.
    return std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}

}  // namespace gyre::test
