// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/memory/failing_new.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "tests/support/global_new.hpp"

// What glibc's own malloc, calloc and realloc are called besides.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
}

namespace gyre::test {
namespace {

// Constant-initialised: allocations come before main.
constinit std::atomic<Refused> refused{Refused::none};
constinit std::atomic<long> refusals{0};

bool is_refused(Refused from) noexcept {
    if (refused.load() < from) return false;
    refusals.fetch_add(1);
    return true;
}

bool is_malloc_refused() noexcept {
    if (!is_refused(Refused::every_new_and_malloc)) return false;
    errno = ENOMEM;
    return true;
}

std::atomic<long> allocations_left{0};  // until the one that is refused; 0 and below: none
std::atomic<long> alive{0};

}  // namespace

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (is_refused(Refused::every_new)) return nullptr;
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

void refuse_allocations(Refused which) noexcept {
    if (which != Refused::none) refusals.store(0);
    refused.store(which);
}

long refusal_count() noexcept {
    return refusals.load();
}

}  // namespace gyre::test

// Visible: the C++ runtime, which allocates exceptions, is another library.
extern "C" {

[[gnu::visibility("default")]] void* malloc(std::size_t size) noexcept {
    return gyre::test::is_malloc_refused() ? nullptr : __libc_malloc(size);
}
[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t size) noexcept {
    return gyre::test::is_malloc_refused() ? nullptr : __libc_calloc(count, size);
}
[[gnu::visibility("default")]] void* realloc(void* memory, std::size_t size) noexcept {
    return gyre::test::is_malloc_refused() ? nullptr : __libc_realloc(memory, size);
}
}
