// SPDX-License-Identifier: Apache-2.0
// One reserved range of addresses, cut into a slot a host. A block has a head with its size class; a
// class is a power of two, and freed blocks of a class are used again.
#include "gyre/sim/host_memory.hpp"

#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <mutex>

#include "gyre/base/assert.hpp"

#if defined(__SANITIZE_ADDRESS__)
#    define GYRE_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#    define GYRE_HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#    define GYRE_HAS_ADDRESS_SANITIZER 0
#endif
#if GYRE_HAS_ADDRESS_SANITIZER
#    include <sanitizer/asan_interface.h>
#endif

namespace gyre::sim {

constinit thread_local HostMemory* HostMemory::current_ = nullptr;
constinit thread_local bool HostMemory::is_in_use_ = false;

namespace {

// Keeps 16 bytes of alignment.
struct alignas(16) Head {
    std::size_t size_class;
};

constexpr std::size_t smallest = 32;

struct Range {
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
    std::array<HostMemory*, HostMemory::count_max> owners{};
    bool is_reserved = false;
};

// Worlds of several threads make hosts.
constinit Range reserved;
constinit std::mutex range_mutex;

void reserve() noexcept {
    if (reserved.is_reserved) return;
    reserved.is_reserved = true;
    constexpr std::size_t size = HostMemory::size_bytes_max * HostMemory::count_max;
    void* const memory =
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    reserved.begin = static_cast<std::byte*>(memory);
    reserved.end = reserved.begin + size;
}

}  // namespace

HostMemory::HostMemory() noexcept {
    const std::lock_guard lock(range_mutex);
    reserve();
    if (reserved.begin == nullptr) return;
    while (number_ < count_max && reserved.owners[number_] != nullptr) ++number_;
    GYRE_ASSERT(number_ < count_max, "more than %zu hosts at a time: end some worlds first",
                count_max);
    reserved.owners[number_] = this;
    base_ = reserved.begin + number_ * size_bytes_max;
    if (mprotect(base_, size_bytes_max, PROT_READ | PROT_WRITE) != 0) base_ = nullptr;
}

HostMemory::~HostMemory() {
    if (reserved.begin == nullptr) return;
    drop();
    const std::lock_guard lock(range_mutex);
    reserved.owners[number_] = nullptr;
}

namespace {

// The address sanitizer marks the size in front of an array that operator new[] gave, and only its own
// operator delete[] takes the mark away.
void unmark([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size_bytes) noexcept {
#if GYRE_HAS_ADDRESS_SANITIZER
    __asan_unpoison_memory_region(memory, size_bytes);
#endif
}

}  // namespace

// The pages are replaced, so that a pointer into a dropped host reads zeros, not old data.
void HostMemory::drop() noexcept {
    GYRE_ASSERT(current_ != this, "a host's memory cannot be dropped by the host's own code");
    if (base_ != nullptr && used_ > 0) {
        unmark(base_, used_);
        (void)madvise(base_, used_, MADV_DONTNEED);
    }
    used_ = 0;
    allocation_count_ = 0;
    fails_in_ = 0;
    free_ = {};
}

void* HostMemory::take(std::size_t size_bytes) noexcept {
    if (fails_in_ > 0 && --fails_in_ == 0) return nullptr;
    const std::size_t whole =
        std::bit_ceil(size_bytes + sizeof(Head) < smallest ? smallest : size_bytes + sizeof(Head));
    const auto size_class = static_cast<std::size_t>(std::countr_zero(whole));
    if (size_class >= class_count) return nullptr;
    if (Block* const block = free_[size_class]) {
        free_[size_class] = block->next;
        ++allocation_count_;
        return block;
    }
    if (whole > size_bytes_max - used_) return nullptr;
    std::byte* const place = base_ + used_;
    used_ += whole;
    ++allocation_count_;
    return new (new (place) Head{size_class} + 1) Block{nullptr};
}

void HostMemory::give_back(void* memory) noexcept {
    const std::size_t size_class = (static_cast<Head*>(memory) - 1)->size_class;
    unmark(memory, sizeof(Block));
    free_[size_class] = new (memory) Block{free_[size_class]};
    --allocation_count_;
}

void* HostMemory::allocate(std::size_t size_bytes) noexcept {
    if (current_ == nullptr || current_->base_ == nullptr) {
        return std::malloc(size_bytes > 0 ? size_bytes : 1);
    }
    is_in_use_ = true;
    return current_->take(size_bytes);
}

void HostMemory::free(void* memory) noexcept {
    const auto* const place = static_cast<std::byte*>(memory);
    if (place < reserved.begin || place >= reserved.end) {
        std::free(memory);
        return;
    }
    HostMemory* const owner =
        reserved.owners[static_cast<std::size_t>(place - reserved.begin) / size_bytes_max];
    if (owner != nullptr) owner->give_back(memory);
}

}  // namespace gyre::sim
