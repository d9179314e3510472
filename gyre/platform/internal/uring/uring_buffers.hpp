// SPDX-License-Identifier: Apache-2.0
// UringBuffers: provided buffers, of which the system picks one when data arrives; they are
// returned to it as soon as the data is copied. Their number is fixed, so that they are reused
// while still in the cache. Only the loop's thread. It must outlive the requests that use it, so
// the ring is closed first.
#pragma once

#include <cstdint>
#include <memory>

#include "gyre/base/bytes.hpp"
#include "gyre/base/result.hpp"

struct io_uring;
struct io_uring_buf_ring;

namespace gyre::platform {

struct UringBufferOptions {
    std::uint32_t count = 64;  // a power of two
    std::uint32_t size_bytes = 8 * 1024;
    // Whether they are registered as provided buffers; if not, they are plain memory.
    bool is_provided = true;
};

class UringBuffers {
public:
    static constexpr std::uint16_t group_id = 0;

    // Plain memory if the system does not support buffer rings. An error if memory runs out.
    [[nodiscard]] static Result<std::unique_ptr<UringBuffers>> make(
        io_uring& ring, const UringBufferOptions& options) noexcept;
    ~UringBuffers();
    UringBuffers(const UringBuffers&) = delete;
    UringBuffers& operator=(const UringBuffers&) = delete;

    // Whether requests may use buffer selection.
    [[nodiscard]] bool are_provided() const noexcept { return are_provided_; }

    // The data that the system has put into this buffer.
    [[nodiscard]] ConstBytes filled(std::uint32_t buffer_id, std::size_t size) const noexcept;
    void give_back(std::uint32_t buffer_id) noexcept;

    // All memory as one buffer, if it is not provided to the system.
    [[nodiscard]] Bytes scratch() noexcept { return {memory_.get(), size_bytes()}; }

private:
    struct Unmap {
        std::size_t size_bytes;
        void operator()(io_uring_buf_ring* list) const noexcept;
    };

    explicit UringBuffers(const UringBufferOptions& options) noexcept : options_(options) {}
    [[nodiscard]] bool allocate() noexcept;
    void provide(io_uring& ring) noexcept;
    [[nodiscard]] std::byte* start_of(std::uint32_t buffer_id) const noexcept {
        return memory_.get() + std::size_t{buffer_id} * options_.size_bytes;
    }
    [[nodiscard]] std::size_t size_bytes() const noexcept {
        return std::size_t{options_.count} * options_.size_bytes;
    }

    const UringBufferOptions options_;
    std::unique_ptr<std::byte[]> memory_;
    std::unique_ptr<io_uring_buf_ring, Unmap> list_;  // shared with the system
    bool are_provided_ = false;
};

}  // namespace gyre::platform
