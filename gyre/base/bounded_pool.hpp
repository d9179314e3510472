// SPDX-License-Identifier: Apache-2.0
// BoundedPool<T>: a fixed number of objects, allocated once. Taking one never allocates; an
// exhausted pool returns an error and does not grow.
//
//     BoundedPool<TimerOp> timers(1024);
//     if (auto timer = timers.take()) use(**timer);
//
// Thread: one at a time.
// Lifetime: the pool outlives the objects taken from it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "gyre/base/assert.hpp"
#include "gyre/base/result.hpp"

namespace gyre {

template <class T>
class BoundedPool {
public:
    explicit BoundedPool(std::size_t capacity)
        : capacity_(capacity), items_(std::make_unique<T[]>(capacity)) {
        free_.reserve(capacity);
        for (std::size_t i = capacity; i > 0; --i) free_.push_back(&items_[i - 1]);
    }
    ~BoundedPool() {
        GYRE_ASSERT(in_use() == 0, "%zu objects of the pool are still in use: put them back first",
                    in_use());
    }
    BoundedPool(const BoundedPool&) = delete;
    BoundedPool& operator=(const BoundedPool&) = delete;

    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] std::size_t in_use() const noexcept { return capacity_ - free_.size(); }

    // The error `not_enough_memory` if all objects are in use.
    [[nodiscard]] Result<T*> take() noexcept {
        if (free_.empty()) return std::unexpected(Error(std::errc::not_enough_memory));
        T* item = free_.back();
        free_.pop_back();
        return item;
    }

    void put_back(T& item) noexcept {
        GYRE_ASSERT(in_use() > 0, "more objects put back than were taken");
        GYRE_ASSERT(std::less_equal<>()(items_.get(), &item) &&
                        std::less<>()(&item, items_.get() + capacity_),
                    "an object is put back into a pool it is not from");
        GYRE_DEBUG_ASSERT(std::find(free_.begin(), free_.end(), &item) == free_.end(),
                          "an object is put back twice");
        free_.push_back(&item);
    }

private:
    const std::size_t capacity_;
    std::unique_ptr<T[]> items_;
    std::vector<T*> free_;
};

}  // namespace gyre
