// SPDX-License-Identifier: Apache-2.0
// ByteRing: a ring buffer over memory that its owner provides, written at the tail and read at the
// head. Bytes that do not fit are handled by the overflow policy; the caller counts the lost bytes.
//
//     std::array<std::byte, 4096> memory;
//     ByteRing ring(memory);
//
// Thread: one at a time.
// Lifetime: the memory outlives the ring.
#pragma once

#include <algorithm>
#include <cstring>

#include "gyre/base/assert.hpp"
#include "gyre/base/bytes.hpp"

namespace gyre {

// Which bytes are lost when the ring is full.
enum class OverflowPolicy { drop_newest, overwrite_oldest };

class ByteRing {
public:
    explicit ByteRing(Bytes memory) noexcept : memory_(memory) {
        GYRE_ASSERT(!memory.empty(), "a ring needs memory: pass at least one byte");
    }

    [[nodiscard]] std::size_t capacity_bytes() const noexcept { return memory_.size(); }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return size_; }
    [[nodiscard]] std::size_t free_bytes() const noexcept { return memory_.size() - size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    // Returns the number of bytes lost: the newest or the oldest, according to the policy.
    std::size_t write(ConstBytes data, OverflowPolicy policy) noexcept {
        if (policy == OverflowPolicy::drop_newest) {
            const std::size_t kept = std::min(data.size(), free_bytes());
            append(data.first(kept));
            return data.size() - kept;
        }
        const std::size_t lost_of_data =
            data.size() > capacity_bytes() ? data.size() - capacity_bytes() : 0;
        const ConstBytes kept = data.subspan(lost_of_data);
        const std::size_t lost_of_ring =
            kept.size() > free_bytes() ? kept.size() - free_bytes() : 0;
        discard(lost_of_ring);
        append(kept);
        return lost_of_data + lost_of_ring;
    }

    // Copies out at most `into.size()` bytes and returns their number.
    std::size_t read(Bytes into) noexcept {
        const std::size_t count = std::min(into.size(), size_);
        const std::size_t first = std::min(count, memory_.size() - head_);
        copy(into.data(), memory_.data() + head_, first);
        copy(into.data() + first, memory_.data(), count - first);
        discard(count);
        return count;
    }

private:
    // memcpy with a null pointer is undefined even for 0 bytes, and an empty span may have a null
    // pointer.
    static void copy(std::byte* to, const std::byte* from, std::size_t count) noexcept {
        if (count > 0) std::memcpy(to, from, count);
    }

    void append(ConstBytes data) noexcept {
        const std::size_t tail = (head_ + size_) % memory_.size();
        const std::size_t first = std::min(data.size(), memory_.size() - tail);
        copy(memory_.data() + tail, data.data(), first);
        copy(memory_.data(), data.data() + first, data.size() - first);
        size_ += data.size();
    }

    void discard(std::size_t count) noexcept {
        head_ = (head_ + count) % memory_.size();
        size_ -= count;
    }

    Bytes memory_;
    std::size_t head_ = 0;
    std::size_t size_ = 0;
};

}  // namespace gyre
