// SPDX-License-Identifier: Apache-2.0
#include "tests/allocation/counting.hpp"

#include <atomic>

#include "tests/support/global_new.hpp"

namespace gyre {
namespace {

std::atomic<std::uint64_t> count_so_far{0};
std::atomic<std::uint64_t> size_so_far{0};

}  // namespace

void* test::allocate(std::size_t size, std::size_t alignment) noexcept {
    count_so_far.fetch_add(1);
    size_so_far.fetch_add(size);
    return system_memory(size, alignment);
}

void test::release(void* memory) noexcept {
    std::free(memory);
}

allocation::Allocations allocation::allocations_so_far() noexcept {
    return {count_so_far.load(), size_so_far.load()};
}

}  // namespace gyre
