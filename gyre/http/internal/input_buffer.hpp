// SPDX-License-Identifier: Apache-2.0
// InputBuffer: bytes that have come and are not used yet, in one piece. It grows up to a bound that
// its owner knows, and gives its memory back when it is empty and larger than what came lately. One
// a connection, for heads; another for bodies.
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
    // What `shrink` leaves a buffer that is used to the full.
    static constexpr std::size_t kept_bytes_max = std::size_t{4} << 10U;

    explicit InputBuffer(std::size_t first_bytes) noexcept : first_bytes_(first_bytes) {}

    [[nodiscard]] std::string_view unread() const noexcept {
        return {data_.get() + begin_, end_ - begin_};
    }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
    void consume(std::size_t size) noexcept {
        GYRE_DEBUG_ASSERT(size <= end_ - begin_, "no more than there is can be used");
        begin_ += size;
        if (begin_ == end_) begin_ = end_ = 0;
    }
    // Room behind what is there, for at least one byte. Moves what is there.
    [[nodiscard]] Bytes room() {
        if (begin_ > 0) {
            std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
            end_ -= begin_;
            begin_ = 0;
        }
        // Also where the last read found more than there was room for: the next one may too.
        if (end_ == capacity_ || is_too_small_) grow(std::max(first_bytes_, 2 * capacity_));
        return std::as_writable_bytes(std::span(data_.get() + end_, capacity_ - end_));
    }
    // So many bytes came into the room.
    void add(std::size_t size) noexcept {
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
    // Before a wait: an empty buffer that has grown is given back, unless it was needed since the
    // last call and is not too large to be kept.
    void shrink() noexcept {
        const bool was_needed = std::exchange(filled_bytes_max_, 0) > first_bytes_;
        if (!empty() || capacity_ <= first_bytes_) return;
        if (!was_needed || capacity_ > kept_bytes_max) release();
    }
    // All of it goes, with what is in it.
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
