// SPDX-License-Identifier: Apache-2.0
// Arena: memory for the nodes of a tree, given back all at once. What is made in it has no
// destructor to run. One thread; nodes live as long as the arena.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace gyre::vela {

class Arena {
public:
    Arena() = default;
    Arena(Arena&&) = default;
    Arena& operator=(Arena&&) = default;

    template <class T>
    T* make(T value = {}) {
        static_assert(std::is_trivially_destructible_v<T>);
        return new (take(sizeof(T), alignof(T))) T(std::move(value));
    }

    // Not yet written.
    template <class T>
    T* make_many(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        return static_cast<T*>(take(count * sizeof(T), alignof(T)));
    }

private:
    static constexpr std::size_t block_bytes = 64 * 1024;

    void* take(std::size_t bytes, std::size_t alignment) {
        std::size_t begin = (used_ + alignment - 1) / alignment * alignment;
        if (blocks_.empty() || begin + bytes > room_) {
            room_ = std::max(block_bytes, bytes);
            // Left unset on purpose: every node is written when it is made.
            blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(room_));
            begin = 0;
        }
        used_ = begin + bytes;
        return blocks_.back().get() + begin;
    }

    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::size_t room_ = 0;
    std::size_t used_ = 0;
};

}  // namespace gyre::vela
