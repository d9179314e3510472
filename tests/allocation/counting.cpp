// SPDX-License-Identifier: Apache-2.0
#include "tests/allocation/counting.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace gyre::allocation {
namespace {

std::atomic<std::uint64_t> count_so_far{0};
std::atomic<std::uint64_t> size_so_far{0};

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    count_so_far.fetch_add(1);
    size_so_far.fetch_add(size);
    // aligned_alloc wants a multiple of the alignment, and nothing is still an address of its own.
    const std::size_t rounded = (size + alignment) / alignment * alignment;
    return std::aligned_alloc(alignment, rounded);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    void* memory = allocate(size, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

constexpr std::size_t usual = alignof(std::max_align_t);

constexpr std::size_t number_of(std::align_val_t alignment) noexcept {
    return static_cast<std::size_t>(alignment);
}

}  // namespace

Allocations allocations_so_far() noexcept {
    return {count_so_far.load(), size_so_far.load()};
}

}  // namespace gyre::allocation

using gyre::allocation::allocate;
using gyre::allocation::allocate_or_throw;
using gyre::allocation::number_of;
using gyre::allocation::usual;
using Size = std::size_t;
using Alignment = std::align_val_t;
using NoThrow = const std::nothrow_t&;

void* operator new(Size size) {
    return allocate_or_throw(size, usual);
}
void* operator new[](Size size) {
    return allocate_or_throw(size, usual);
}
void* operator new(Size size, Alignment alignment) {
    return allocate_or_throw(size, number_of(alignment));
}
void* operator new[](Size size, Alignment alignment) {
    return allocate_or_throw(size, number_of(alignment));
}
void* operator new(Size size, NoThrow) noexcept {
    return allocate(size, usual);
}
void* operator new[](Size size, NoThrow) noexcept {
    return allocate(size, usual);
}
void* operator new(Size size, Alignment alignment, NoThrow) noexcept {
    return allocate(size, number_of(alignment));
}
void* operator new[](Size size, Alignment alignment, NoThrow) noexcept {
    return allocate(size, number_of(alignment));
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, Size) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, Size) noexcept {
    std::free(memory);
}
void operator delete(void* memory, Alignment) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, Alignment) noexcept {
    std::free(memory);
}
void operator delete(void* memory, Size, Alignment) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, Size, Alignment) noexcept {
    std::free(memory);
}
void operator delete(void* memory, NoThrow) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, NoThrow) noexcept {
    std::free(memory);
}
void operator delete(void* memory, Alignment, NoThrow) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, Alignment, NoThrow) noexcept {
    std::free(memory);
}
