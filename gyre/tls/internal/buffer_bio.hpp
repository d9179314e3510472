// SPDX-License-Identifier: Apache-2.0
// make_buffer_bio: the BIO through which OpenSSL reads and writes two buffers in memory instead of
// a socket. The buffers outlive the BIO. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/bytes.hpp"
#include "gyre/tls/internal/openssl.hpp"

namespace gyre::tls {

// A FIFO of bytes in one piece of memory, which is allocated when it is needed. Bytes do not move,
// except that `make_room` may move those of a buffer whose memory is still small.
class Buffer {
public:
    // The memory of a buffer that waits for its first bytes.
    static constexpr std::size_t first_bytes = 1024;

    explicit Buffer(std::size_t size_max) noexcept : size_max_(size_max) {}

    [[nodiscard]] ConstBytes bytes() const noexcept {
        return {memory_.get() + begin_, end_ - begin_};
    }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
    // How many bytes can be added, with as much memory as it may have.
    [[nodiscard]] std::size_t room_bytes() const noexcept { return size_max_ - end_; }
    // All of that space; empty if there is none, or no memory for it.
    [[nodiscard]] Bytes make_room() noexcept {
        if (!has_memory(size_max_)) return {};
        return {memory_.get() + end_, capacity_ - end_};
    }
    // Of an empty buffer: little space until that was filled once, then all of it.
    [[nodiscard]] Bytes make_first_room() noexcept {
        GYRE_ASSERT(empty(), "the first room of a buffer that has bytes: take them first");
        if (!has_memory(was_filled_ ? size_max_ : first_bytes)) return {};
        return {memory_.get(), capacity_};
    }
    void add(std::size_t size) noexcept {
        GYRE_ASSERT(size <= capacity_ - end_, "%zu bytes are added to room for %zu", size,
                    capacity_ - end_);
        end_ += size;
        was_filled_ = was_filled_ || end_ == capacity_;
    }
    void take(std::size_t size) noexcept {
        GYRE_ASSERT(size <= end_ - begin_, "%zu bytes are taken of %zu", size, end_ - begin_);
        begin_ += size;
        if (begin_ == end_) begin_ = end_ = 0;
    }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

private:
    [[nodiscard]] bool has_memory(std::size_t size) noexcept {
        if (capacity_ >= size) return true;
        std::unique_ptr<std::byte[]> larger(new (std::nothrow) std::byte[size]);
        if (larger == nullptr) return false;
        std::copy_n(memory_.get(), end_, larger.get());
        memory_ = std::move(larger);
        capacity_ = size;
        return true;
    }

    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_max_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool was_filled_ = false;
};

struct Buffers {
    Buffer input;
    Buffer output;
};

[[nodiscard]] OwnedBio make_buffer_bio(Buffers& buffers);

}  // namespace gyre::tls
