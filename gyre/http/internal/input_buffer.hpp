// SPDX-License-Identifier: Apache-2.0
// InputBuffer: received bytes that are not consumed yet, contiguous. Grows up to a bound that its
// owner enforces; an empty buffer that is larger than recently needed is freed. A connection has
// one for heads and one for bodies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/bytes.hpp"

namespace gyre::http {

class InputBuffer {
public:
    // The capacity that `shrink` keeps if it was needed recently.
    static constexpr std::size_t kept_bytes_max = std::size_t{4} << 10U;

    explicit InputBuffer(std::size_t first_bytes) noexcept : first_bytes_(first_bytes) {}

    [[nodiscard]] std::string_view unread() const noexcept {
        return {data_.get() + begin_, end_ - begin_};
    }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
    void consume(std::size_t size) noexcept {
        GYRE_DEBUG_ASSERT(size <= end_ - begin_, "more bytes are consumed than are buffered");
        begin_ += size;
        if (begin_ == end_) begin_ = end_ = 0;
    }
    // Free space of at least one byte behind the unread bytes, which may move.
    [[nodiscard]] Bytes room() {
        if (begin_ > 0) {
            std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        }
        // The last read filled the buffer: the next one may need more too.
        if (end_ == capacity_ || is_too_small_) grow(std::max(first_bytes_, 2 * capacity_));
        return std::as_writable_bytes(std::span(data_.get() + end_, capacity_ - end_));
    }
    // How much larger `room` would make the buffer.
    [[nodiscard]] std::size_t growth_bytes() const noexcept {
        const bool is_full = end_ - begin_ == capacity_ || is_too_small_;
        return is_full ? std::max(first_bytes_, 2 * capacity_) - capacity_ : 0;
    }
    // `size` bytes were written to the free space.
    void add(std::size_t size) noexcept {
        GYRE_ASSERT(size <= capacity_ - end_, "a stream received %zu bytes into room for %zu", size,
                    capacity_ - end_);
        end_ += size;
        filled_bytes_max_ = std::max(filled_bytes_max_, end_);
        is_too_small_ = end_ == capacity_ && capacity_ < kept_bytes_max;
    }
    void append(std::string_view text) {
        if (text.empty()) return;
        while (room().size() < text.size()) grow(2 * capacity_);
        std::memcpy(data_.get() + end_, text.data(), text.size());
        add(text.size());
    }
    void clear() noexcept { begin_ = end_ = 0; }
    // Call before waiting: frees an empty buffer that has grown, unless the size was needed since
    // the last call and is at most kept_bytes_max.
    void shrink() noexcept {
        const bool was_needed = std::exchange(filled_bytes_max_, 0) > first_bytes_;
        if (!empty() || capacity_ <= first_bytes_) return;
        if (!was_needed || capacity_ > kept_bytes_max) release();
    }
    // Frees the memory and drops its bytes.
    void release() noexcept {
        clear();
        data_.reset();
        capacity_ = 0;
    }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
    void grow(std::size_t capacity) {
        auto larger = std::make_unique_for_overwrite<char[]>(capacity);
        if (end_ > 0) std::memcpy(larger.get(), data_.get(), end_);
        data_ = std::move(larger);
        capacity_ = capacity;
        is_too_small_ = false;
    }

    std::unique_ptr<char[]> data_;
    std::size_t first_bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t filled_bytes_max_ = 0;  // since the last shrink
    bool is_too_small_ = false;
};

}  // namespace gyre::http
