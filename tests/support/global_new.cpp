// SPDX-License-Identifier: Apache-2.0
#include "tests/support/global_new.hpp"

#include <new>

namespace gyre::test {
namespace {

constexpr std::size_t usual = alignof(std::max_align_t);

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    void* memory = allocate(size, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace
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
