// SPDX-License-Identifier: Apache-2.0
// Replaces operator new, so that the code of a simulated host allocates from the host's own memory,
// which a crash takes away as a whole. Include it in exactly one source file of a program that
// simulates hosts.
//
//     #include "gyre/testing/host_new.hpp"
//
// The thread sanitizer has an operator new of its own, which cannot be replaced: there hosts allocate
// from the process, and what a crashed host held stays allocated.
//
// Thread: any. Outside of simulated hosts it calls malloc and free.
// Lifetime: of the program.
#pragma once

#include <cstddef>
#include <new>

#include "gyre/sim/host_memory.hpp"

#if defined(__SANITIZE_THREAD__)
#    define GYRE_HAS_OWN_NEW 1
#elif defined(__has_feature)
#    if __has_feature(thread_sanitizer)
#        define GYRE_HAS_OWN_NEW 1
#    endif
#endif

#ifndef GYRE_HAS_OWN_NEW
// NOLINTBEGIN(misc-definitions-in-headers): one source file includes it.
// A crashed host frees nothing that is outside of its memory, such as an exception that was thrown:
// the leak checker of the sanitizers would report each of them.
extern "C" int __lsan_is_turned_off();   // NOLINT(bugprone-reserved-identifier)
extern "C" int __lsan_is_turned_off() {  // NOLINT(bugprone-reserved-identifier)
    return 1;
}
void* operator new(std::size_t size_bytes) {
    if (void* const memory = gyre::sim::HostMemory::allocate(size_bytes)) return memory;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size_bytes) {
    return operator new(size_bytes);
}
void* operator new(std::size_t size_bytes, const std::nothrow_t& /*tag*/) noexcept {
    return gyre::sim::HostMemory::allocate(size_bytes);
}
void* operator new[](std::size_t size_bytes, const std::nothrow_t& /*tag*/) noexcept {
    return gyre::sim::HostMemory::allocate(size_bytes);
}
void operator delete(void* memory) noexcept {
    gyre::sim::HostMemory::free(memory);
}
void operator delete[](void* memory) noexcept {
    gyre::sim::HostMemory::free(memory);
}
void operator delete(void* memory, std::size_t /*size_bytes*/) noexcept {
    gyre::sim::HostMemory::free(memory);
}
void operator delete[](void* memory, std::size_t /*size_bytes*/) noexcept {
    gyre::sim::HostMemory::free(memory);
}
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept {
    gyre::sim::HostMemory::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept {
    gyre::sim::HostMemory::free(memory);
}
// NOLINTEND(misc-definitions-in-headers)
#endif
#undef GYRE_HAS_OWN_NEW
