// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/memory/failing_new.hpp"

#include <atomic>

#include "tests/support/global_new.hpp"

namespace gyre::test {
namespace {

std::atomic<long> allocations_left{0};  // until the one that is refused; 0 and below: none
std::atomic<long> alive{0};

}  // namespace

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (allocations_left.load() > 0 && allocations_left.fetch_sub(1) == 1) return nullptr;
    void* memory = system_memory(size, alignment);
    if (memory != nullptr) alive.fetch_add(1);
    return memory;
}

void release(void* memory) noexcept {
    if (memory != nullptr) alive.fetch_sub(1);
    std::free(memory);
}

void refuse_allocation(long number) noexcept {
    allocations_left.store(number);
}

bool stop_refusing() noexcept {
    return allocations_left.exchange(0) <= 0;
}

long allocations_alive() noexcept {
    return alive.load();
}

}  // namespace gyre::test
