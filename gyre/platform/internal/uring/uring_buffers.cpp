// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/uring/uring_buffers.hpp"

#include <liburing.h>
#include <sys/mman.h>

#include <new>

#include "gyre/base/assert.hpp"

namespace gyre::platform {

void UringBuffers::Unmap::operator()(io_uring_buf_ring* list) const noexcept {
    ::munmap(list, size_bytes);
}

UringBuffers::~UringBuffers() = default;

Result<std::unique_ptr<UringBuffers>> UringBuffers::make(
    io_uring& ring, const UringBufferOptions& options) noexcept {
    GYRE_ASSERT(options.count > 0 && (options.count & (options.count - 1)) == 0,
                "%u buffers: choose a power of two", options.count);
    GYRE_ASSERT(options.count <= 1u << 15u, "%u buffers: 32768 is the system's limit",
                options.count);
    GYRE_ASSERT(options.size_bytes > 0, "a buffer needs at least one byte");
    std::unique_ptr<UringBuffers> buffers(new (std::nothrow) UringBuffers(options));
    if (buffers == nullptr || !buffers->allocate()) {
        return std::unexpected(Error(std::errc::not_enough_memory));
    }
    if (options.is_provided) buffers->provide(ring);
    return buffers;
}

bool UringBuffers::allocate() noexcept {
    memory_.reset(new (std::nothrow) std::byte[size_bytes()]);
    return memory_ != nullptr;
}

void UringBuffers::provide(io_uring& ring) noexcept {
    const std::size_t list_size = options_.count * sizeof(io_uring_buf);
    void* const pages =
        ::mmap(nullptr, list_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return;
    list_ = {static_cast<io_uring_buf_ring*>(pages), Unmap{list_size}};
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<std::uintptr_t>(pages);
    registration.ring_entries = options_.count;
    registration.bgid = group_id;
    if (io_uring_register_buf_ring(&ring, &registration, 0) < 0) {
        list_.reset();
        return;
    }
    io_uring_buf_ring_init(list_.get());
    for (std::uint32_t id = 0; id < options_.count; ++id) give_back(id);
    are_provided_ = true;
}

ConstBytes UringBuffers::filled(std::uint32_t buffer_id, std::size_t size) const noexcept {
    GYRE_ASSERT(buffer_id < options_.count, "the system returned buffer %u of %u", buffer_id,
                options_.count);
    GYRE_ASSERT(size <= options_.size_bytes, "the system put %zu bytes into a buffer of %u", size,
                options_.size_bytes);
    return {start_of(buffer_id), size};
}

void UringBuffers::give_back(std::uint32_t buffer_id) noexcept {
    io_uring_buf_ring_add(list_.get(), start_of(buffer_id), options_.size_bytes,
                          static_cast<unsigned short>(buffer_id),
                          io_uring_buf_ring_mask(options_.count), 0);
    io_uring_buf_ring_advance(list_.get(), 1);
}

}  // namespace gyre::platform
