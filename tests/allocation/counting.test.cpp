// SPDX-License-Identifier: Apache-2.0
// The counter itself: a test that counts nothing would pass whatever the kernel does.
#include "tests/allocation/counting.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "gyre/base/bounded_pool.hpp"

namespace gyre::allocation {
namespace {

constexpr std::align_val_t wide{128};

TEST(Counting, sees_every_form_of_new) {
    const Since since;
    ::operator delete(::operator new(10));
    ::operator delete[](::operator new[](10));
    ::operator delete(::operator new(10, std::nothrow));
    ::operator delete[](::operator new[](10, std::nothrow));
    EXPECT_EQ(since.count(), 4u);
    ::operator delete(::operator new(10, wide), wide);
    ::operator delete[](::operator new[](10, wide), wide);
    ::operator delete(::operator new(10, wide, std::nothrow), wide);
    ::operator delete[](::operator new[](10, wide, std::nothrow), wide);
    EXPECT_EQ(since.count(), 8u);
    EXPECT_EQ(since.size_bytes(), 80u);
}

TEST(Counting, keeps_the_alignment_that_was_asked_for) {
    for (const std::size_t size : {0u, 1u, 128u, 1'000u}) {
        void* memory = ::operator new(size, wide);
        EXPECT_NE(memory, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 128, 0u);
        ::operator delete(memory, wide);
    }
}

TEST(Counting, sees_what_containers_do) {
    const Since since;
    const std::vector<int> numbers(100, 1);
    const std::string text(100, 'x');
    EXPECT_EQ(since.count(), 2u);
    EXPECT_GE(since.size_bytes(), 100 * sizeof(int) + 100);
    EXPECT_EQ(numbers.size(), text.size());
}

TEST(BoundedPool, neither_use_nor_exhaustion_allocates) {
    // clause: K14
    BoundedPool<std::uint64_t> pool(4);
    const Since since;
    for (int round = 0; round < 100; ++round) {
        std::array<std::uint64_t*, 4> taken{};
        for (auto& item : taken) item = pool.take().value();
        for (int i = 0; i < 10; ++i) EXPECT_FALSE(pool.take().has_value());
        for (auto* item : taken) pool.put_back(*item);
    }
    EXPECT_EQ(since.count(), 0u);
}

}  // namespace
}  // namespace gyre::allocation
