// SPDX-License-Identifier: Apache-2.0
// Memory of coroutine frames and tasks: free lists of size classes, one set a thread, so that a
// frame costs a pop and a push. Any thread may allocate and free; a block may be freed on another
// thread than the one that made it. Blocks come from slabs that stay with the process; threads
// exchange surplus through a depot, a batch at a time, so no thread's lists grow without bound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gyre/base/detail/compiler.hpp"

namespace gyre {

class FramePool {
public:
    [[nodiscard]] GYRE_ALWAYS_INLINE static void* allocate(std::size_t size_bytes) {
        if (uses_lists && size_bytes <= size_max) {
            FreeList& list = shelves_.lists[class_of(size_bytes)];
            if (Block* block = list.head) {
                list.head = block->next;
                --list.count;
                return block;
            }
        }
        return allocate_slowly(size_bytes);
    }

    GYRE_ALWAYS_INLINE static void free(void* memory, std::size_t size_bytes) noexcept {
        if (uses_lists && size_bytes <= size_max) {
            FreeList& list = shelves_.lists[class_of(size_bytes)];
            auto* block = static_cast<Block*>(memory);
            if (list.count < count_max(size_bytes)) {
                block->next = list.head;
                list.head = block;
                ++list.count;
                return;
            }
        }
        free_slowly(memory, size_bytes);
    }

    // Different in every thread: tells them apart.
    [[nodiscard]] static const void* this_thread() noexcept { return &shelves_; }

    // Blocks made minus blocks freed by this thread: for tests that look for leaks.
    [[nodiscard]] static std::int64_t live_count() noexcept {
        std::int64_t count = shelves_.taken_count;
        for (const FreeList& list : shelves_.lists) {
            if (list.count != unused) count -= list.count;
        }
        return count;
    }

private:
    struct Block {
        Block* next;
    };
    // The count of a list that this thread has not used: its thread-exit hook may not be registered
    // yet. Above any limit, so that the first free takes the slow path too.
    static constexpr std::uint32_t unused = ~std::uint32_t{0};
    struct FreeList {
        Block* head = nullptr;
        std::uint32_t count = unused;
    };
    class Depot;
    struct ThreadEnd;

    // A sanitizer must see each frame as a piece of memory of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    static constexpr bool uses_lists = false;
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    static constexpr bool uses_lists = false;
#    else
    static constexpr bool uses_lists = true;
#    endif
#else
    static constexpr bool uses_lists = true;
#endif
    static constexpr std::size_t granule = 8;
    static constexpr std::size_t size_max = 1024;
    static constexpr std::size_t class_count = size_max / granule + 1;
    static constexpr std::uint32_t batch = 128;  // moved between threads at a time
    // The limit of a thread's list: enough for a burst, and at most 256 KB.
    static constexpr std::uint32_t count_max(std::size_t size_bytes) noexcept {
        return size_bytes <= 256 ? 8 * batch : 2 * batch;
    }

    static constexpr std::size_t class_of(std::size_t size_bytes) noexcept {
        return (size_bytes + granule - 1) / granule;
    }
    static void* allocate_slowly(std::size_t size_bytes);
    static void free_slowly(void* memory, std::size_t size_bytes) noexcept;
    static void watch_thread_end();

    struct Shelves {
        std::int64_t taken_count = 0;  // from the depot or a slab, minus blocks given back
        std::array<FreeList, class_count> lists{};
    };
    static constinit thread_local Shelves shelves_;
};

// Derived classes are allocated from the pool.
struct Pooled {
    static void* operator new(std::size_t size_bytes) { return FramePool::allocate(size_bytes); }
    static void operator delete(void* memory, std::size_t size_bytes) noexcept {
        FramePool::free(memory, size_bytes);
    }
};

}  // namespace gyre
