// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/detail/indexed_heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "gyre/base/random.hpp"

namespace gyre {
namespace {

struct Entry {
    std::uint64_t key = 0;
    std::size_t index = 0;
};
struct EntryOrder {
    static bool is_before(const Entry& left, const Entry& right) noexcept {
        return left.key < right.key;
    }
    static std::size_t& index(Entry& entry) noexcept { return entry.index; }
};
using Heap = IndexedHeap<Entry, EntryOrder>;

TEST(IndexedHeap, gives_its_elements_in_order) {
    Heap heap;
    std::deque<Entry> entries;
    for (const std::uint64_t key : {5u, 3u, 9u, 1u, 7u}) heap.add(entries.emplace_back(key));
    for (const std::uint64_t key : {1u, 3u, 5u, 7u, 9u}) {
        Entry& first = heap.front();
        EXPECT_EQ(first.key, key);
        heap.remove(first);
        EXPECT_EQ(first.index, Heap::none);
    }
    EXPECT_TRUE(heap.empty());
}

TEST(IndexedHeap, has_its_order_after_random_changes) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Random random(seed);
        Heap heap;
        std::deque<Entry> entries;
        std::vector<Entry*> in;
        const auto earlier = [](const Entry* left, const Entry* right) {
            return left->key < right->key;
        };
        for (int i = 0; i < 400; ++i) {
            const std::uint64_t choice = random.below(4);
            if (in.empty() || choice <= 1) {
                heap.reserve_one();
                in.push_back(&entries.emplace_back(random.below(1000)));
                heap.add(*in.back());
            } else if (choice == 2) {
                const std::size_t at = random.below(in.size());
                heap.remove(*in[at]);
                in.erase(in.begin() + static_cast<std::ptrdiff_t>(at));
            } else {
                heap.front().key += random.below(500);
                heap.update_front();
            }
            ASSERT_EQ(heap.empty(), in.empty()) << "seed " << seed;
            if (in.empty()) continue;
            ASSERT_EQ(heap.front().key, (*std::ranges::min_element(in, earlier))->key)
                << "seed " << seed;
        }
    }
}

TEST(IndexedHeapDeathTest, an_element_removed_twice_is_caught) {
    Heap heap;
    Entry entry;
    heap.add(entry);
    heap.remove(entry);
    EXPECT_DEATH(heap.remove(entry), "remove only an element that is in the heap");
}

}  // namespace
}  // namespace gyre
