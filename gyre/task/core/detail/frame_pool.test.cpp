// SPDX-License-Identifier: Apache-2.0
#include "gyre/task/core/detail/frame_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace gyre {
namespace {

// Under a sanitizer each frame is allocated on its own, and its memory is not reused at once.
bool keeps_lists() {
    void* first = FramePool::allocate(64);
    FramePool::free(first, 64);
    void* second = FramePool::allocate(64);
    FramePool::free(second, 64);
    return first == second;
}

std::vector<void*> allocate(std::size_t count, std::size_t size_bytes) {
    std::vector<void*> blocks(count);
    for (void*& block : blocks) block = FramePool::allocate(size_bytes);
    return blocks;
}
void free_all(const std::vector<void*>& blocks, std::size_t size_bytes) {
    for (void* block : blocks) FramePool::free(block, size_bytes);
}

TEST(FramePool, gives_memory_of_every_size_that_nobody_else_has) {
    std::vector<std::pair<unsigned char*, std::size_t>> blocks;
    for (std::size_t size = 1; size <= 3000; size += 1) {
        auto* block = static_cast<unsigned char*>(FramePool::allocate(size));
        // A type with an alignment of 16 has a size that is a multiple of 16.
        const std::size_t alignment = size % 16 == 0 ? 16 : 8;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
        std::memset(block, static_cast<int>(size % 251), size);
        blocks.emplace_back(block, size);
    }
    for (const auto& [block, size] : blocks) {
        const auto mark = static_cast<unsigned char>(size % 251);
        EXPECT_EQ(std::count(block, block + size, mark), static_cast<std::ptrdiff_t>(size));
        FramePool::free(block, size);
    }
}

TEST(FramePool, counts_what_is_live_whatever_the_size) {
    const std::int64_t before = FramePool::live_count();
    const auto small = allocate(1000, 48);
    const auto large = allocate(10, 5000);
    EXPECT_EQ(FramePool::live_count(), before + 1010);
    free_all(small, 48);
    free_all(large, 5000);
    EXPECT_EQ(FramePool::live_count(), before);
}

TEST(FramePool, gives_a_block_again_to_whoever_wants_its_class_next) {
    if (!keeps_lists()) GTEST_SKIP() << "a sanitizer watches the memory";
    void* block = FramePool::allocate(100);
    FramePool::free(block, 100);
    void* same_class = FramePool::allocate(104);
    EXPECT_EQ(same_class, block);
    void* other_class = FramePool::allocate(105);
    EXPECT_NE(other_class, block);
    FramePool::free(same_class, 104);
    FramePool::free(other_class, 105);
}

TEST(FramePool, takes_back_what_another_thread_made) {
    const std::int64_t before = FramePool::live_count();
    std::vector<void*> blocks;
    std::int64_t there = 0;
    std::thread([&] {
        blocks = allocate(5000, 64);
        there = FramePool::live_count();
    }).join();
    free_all(blocks, 64);
    EXPECT_EQ(there, 5000);
    EXPECT_EQ(FramePool::live_count(), before - 5000);
}

TEST(FramePool, passes_on_what_a_thread_had_when_it_ends) {
    if (!keeps_lists()) GTEST_SKIP() << "a sanitizer watches the memory";
    constexpr std::size_t size = 1008;  // of a class that nobody else here uses
    std::vector<void*> there;
    std::thread([&] {
        there = allocate(100, size);
        free_all(there, size);
    }).join();
    const auto here = allocate(1000, size);
    const std::set<void*> known(there.begin(), there.end());
    EXPECT_EQ(std::count_if(here.begin(), here.end(), [&](void* b) { return known.contains(b); }),
              100);
    free_all(here, size);
}

// One thread only allocates, the other only frees: blocks return through the depot.
TEST(FramePool, does_not_grow_when_frames_wander_between_threads) {
    if (!keeps_lists()) GTEST_SKIP() << "a sanitizer watches the memory";
    constexpr std::size_t size = 992;
    std::set<void*> seen;
    for (int round = 0; round < 200; ++round) {
        const auto blocks = allocate(300, size);
        seen.insert(blocks.begin(), blocks.end());
        std::thread([&] { free_all(blocks, size); }).join();
    }
    EXPECT_LT(seen.size(), 2000u);
}

}  // namespace
}  // namespace gyre
