// SPDX-License-Identifier: Apache-2.0
// IndexedHeap: a binary heap of pointers in which each element knows its index, so that any element
// can be removed. It owns nothing. One thread at a time may touch a heap and its elements.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "gyre/base/assert.hpp"

namespace gyre {

// `Order` has two static functions: `bool is_before(const T&, const T&) noexcept`, and
// `std::size_t& index(T&) noexcept`, which gives the element's index. T may be incomplete until a
// function of the heap is used.
template <class T, class Order>
class IndexedHeap {
public:
    // The index of an element that was removed.
    static constexpr std::size_t none = ~std::size_t{0};

    [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
    // The first element in order; not when empty.
    [[nodiscard]] T& front() const noexcept { return *items_.front(); }

    // Makes room for one more element, so that the next `add` does not throw.
    void reserve_one() {
        if (items_.size() == items_.capacity()) items_.reserve(2 * items_.size() + 16);
    }
    void add(T& item) {
        items_.push_back(&item);
        move_up(items_.size() - 1);
    }
    void remove(T& item) noexcept {
        const std::size_t at = std::exchange(Order::index(item), none);
        GYRE_ASSERT(at < items_.size(), "remove only an element that is in the heap");
        T& last = *items_.back();
        items_.pop_back();
        if (&last == &item) return;
        put(last, at);
        move_up(at);
        move_down(Order::index(last));
    }
    // Restores the order when the first element has got a later place in it.
    void update_front() noexcept { move_down(0); }

private:
    void put(T& item, std::size_t at) noexcept {
        items_[at] = &item;
        Order::index(item) = at;
    }
    void move_up(std::size_t at) noexcept {
        T& item = *items_[at];
        while (at > 0 && Order::is_before(item, *items_[(at - 1) / 2])) {
            put(*items_[(at - 1) / 2], at);
            at = (at - 1) / 2;
        }
        put(item, at);
    }
    void move_down(std::size_t at) noexcept {
        T& item = *items_[at];
        for (std::size_t child = 2 * at + 1; child < items_.size(); child = 2 * at + 1) {
            const bool has_right = child + 1 < items_.size();
            if (has_right && Order::is_before(*items_[child + 1], *items_[child])) ++child;
            if (!Order::is_before(*items_[child], item)) break;
            put(*items_[child], at);
            at = child;
        }
        put(item, at);
    }

    std::vector<T*> items_;
};

}  // namespace gyre
