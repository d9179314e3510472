// SPDX-License-Identifier: Apache-2.0
// make_buffer_bio: the BIO through which OpenSSL reads and writes two buffers in memory instead of
// a socket. The buffers outlive the BIO. One thread.
#pragma once

#include <cstddef>
#include <memory>

#include "gyre/base/assert.hpp"
#include "gyre/base/bytes.hpp"
#include "gyre/tls/internal/openssl.hpp"

namespace gyre::tls {

// A FIFO of bytes in one piece of memory; bytes do not move.
class Buffer {
public:
    explicit Buffer(std::size_t size_max)
        : memory_(std::make_unique_for_overwrite<std::byte[]>(size_max)), size_max_(size_max) {}

    [[nodiscard]] ConstBytes bytes() const noexcept { return {&memory_[begin_], end_ - begin_}; }
    [[nodiscard]] Bytes room() noexcept { return {memory_.get() + end_, size_max_ - end_}; }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
    void add(std::size_t size) noexcept {
        GYRE_ASSERT(size <= size_max_ - end_, "%zu bytes are added to room for %zu", size,
                    size_max_ - end_);
        end_ += size;
    }
    void take(std::size_t size) noexcept {
        GYRE_ASSERT(size <= end_ - begin_, "%zu bytes are taken of %zu", size, end_ - begin_);
        begin_ += size;
        if (begin_ == end_) begin_ = end_ = 0;
    }

private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_max_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

struct Buffers {
    Buffer input;
    Buffer output;
};

[[nodiscard]] OwnedBio make_buffer_bio(Buffers& buffers);

}  // namespace gyre::tls
