// SPDX-License-Identifier: Apache-2.0
// Fifo: a queue of small values that allocates nothing while it is empty from the start: most streams
// never have a write that waits. One thread.
#pragma once

#include <cstddef>
#include <vector>

namespace gyre::uv {

template <class T>
class Fifo {
public:
    [[nodiscard]] bool empty() const noexcept { return begin_ == items_.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return items_.size() - begin_; }
    [[nodiscard]] T front() const noexcept { return items_[begin_]; }
    void push_back(T item) { items_.push_back(item); }
    void pop_front() noexcept {
        if (++begin_ == items_.size()) return clear();
        // The part that was taken is given up when it is the larger one.
        if (begin_ < some || 2 * begin_ < items_.size()) return;
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(begin_));
        begin_ = 0;
    }
    void clear() noexcept {
        items_.clear();
        begin_ = 0;
    }

private:
    static constexpr std::size_t some = 16;

    std::vector<T> items_;
    std::size_t begin_ = 0;
};

}  // namespace gyre::uv
