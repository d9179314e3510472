// SPDX-License-Identifier: Apache-2.0
// All forms of the global operator new and delete, as two functions: a test program that observes
// allocations compiles global_new.cpp and defines these. Any thread calls them, from before main
// until after it.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace gyre::test {

// Null if there is no memory.
[[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept;
void release(void* memory) noexcept;

// Allocates from the system.
[[nodiscard]] inline void* system_memory(std::size_t size, std::size_t alignment) noexcept {
    // aligned_alloc requires a multiple of the alignment, and an allocation of 0 bytes needs a
    // unique address.
    return std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}

}  // namespace gyre::test
