// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/memory/failing_new.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace gyre::test {
namespace {

std::atomic<long> allocations_left{0};  // until the one that is refused; 0 and below: none
std::atomic<long> alive{0};

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (allocations_left.load() > 0 && allocations_left.fetch_sub(1) == 1) return nullptr;
    const std::size_t rounded = (size + alignment) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded);
    if (memory != nullptr) alive.fetch_add(1);
    return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    void* memory = allocate(size, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void release(void* memory) noexcept {
    if (memory != nullptr) alive.fetch_sub(1);
    std::free(memory);
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

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

using gyre::test::allocate;
using gyre::test::allocate_or_throw;
using gyre::test::release;
using gyre::test::usual;
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
    return allocate_or_throw(size, static_cast<Size>(alignment));
}
void* operator new[](Size size, Alignment alignment) {
    return allocate_or_throw(size, static_cast<Size>(alignment));
}
void* operator new(Size size, NoThrow) noexcept {
    return allocate(size, usual);
}
void* operator new[](Size size, NoThrow) noexcept {
    return allocate(size, usual);
}
void* operator new(Size size, Alignment alignment, NoThrow) noexcept {
    return allocate(size, static_cast<Size>(alignment));
}
void* operator new[](Size size, Alignment alignment, NoThrow) noexcept {
    return allocate(size, static_cast<Size>(alignment));
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete[](void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, Size) noexcept {
    release(memory);
}
void operator delete[](void* memory, Size) noexcept {
    release(memory);
}
void operator delete(void* memory, Alignment) noexcept {
    release(memory);
}
void operator delete[](void* memory, Alignment) noexcept {
    release(memory);
}
void operator delete(void* memory, Size, Alignment) noexcept {
    release(memory);
}
void operator delete[](void* memory, Size, Alignment) noexcept {
    release(memory);
}
void operator delete(void* memory, NoThrow) noexcept {
    release(memory);
}
void operator delete[](void* memory, NoThrow) noexcept {
    release(memory);
}
void operator delete(void* memory, Alignment, NoThrow) noexcept {
    release(memory);
}
void operator delete[](void* memory, Alignment, NoThrow) noexcept {
    release(memory);
}
