// SPDX-License-Identifier: Apache-2.0
// keep_sqlite_in_hosts: SQLite allocates from the memory of the host whose code calls it, so that a crash takes
// it away too. Called before the first use of SQLite in the process, outside of a host. One thread.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstring>
#include <new>

#include "gyre/base/assert.hpp"
#include "gyre/sim/host_memory.hpp"

namespace gyre::testing {

// SQLite asks for the size of a block, which stands in front of it.
struct SqliteMemory {
    static constexpr std::size_t head_bytes = 16;

    static std::byte* head_of(void* memory) noexcept {
        return static_cast<std::byte*>(memory) - head_bytes;
    }
    static int size_of(void* memory) noexcept {
        int size = 0;
        if (memory != nullptr) std::memcpy(&size, head_of(memory), sizeof(size));
        return size;
    }
    static void* allocate(int size) noexcept {
        void* const block = sim::HostMemory::allocate(head_bytes + static_cast<std::size_t>(size));
        if (block == nullptr) return nullptr;
        std::memcpy(block, &size, sizeof(size));
        return static_cast<std::byte*>(block) + head_bytes;
    }
    static void release(void* memory) noexcept {
        if (memory != nullptr) sim::HostMemory::free(head_of(memory));
    }
    static void* reallocate(void* memory, int size) noexcept {
        if (size <= size_of(memory)) return memory;
        void* const larger = allocate(size);
        if (larger == nullptr) return nullptr;
        std::memcpy(larger, memory, static_cast<std::size_t>(size_of(memory)));
        release(memory);
        return larger;
    }
    static int rounded(int size) noexcept { return (size + 7) & ~7; }
    static int start(void* /*unused*/) noexcept { return SQLITE_OK; }
    static void end(void* /*unused*/) noexcept {}
};

inline void keep_sqlite_in_hosts() {
    static const bool is_done = [] {
        sqlite3_mem_methods methods = {SqliteMemory::allocate,   SqliteMemory::release,
                                       SqliteMemory::reallocate, SqliteMemory::size_of,
                                       SqliteMemory::rounded,    SqliteMemory::start,
                                       SqliteMemory::end,        nullptr};
        return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
               sqlite3_initialize() == SQLITE_OK;
    }();
    GYRE_ASSERT(is_done, "SQLite was used before keep_sqlite_in_hosts");
}

}  // namespace gyre::testing
