// SPDX-License-Identifier: Apache-2.0
// The one door to atomics: files that share memory between threads say gyre::Atomic, never
// std::atomic. Any thread may use an Atomic, as its memory orders allow; it lives with its owner.
//
// Why the #ifdef, the only one of its kind: the model checker (tests/model) compiles the real
// sources of the inbox and its kin a second time with GYRE_MODEL_CHECK, where each access is a
// point at which the checker may let another thread go first. A normal build has std::atomic
// itself here, at no cost; the checker's header is on the include path of its own tests alone.
#pragma once

#ifdef GYRE_MODEL_CHECK

#    include "model_atomic.hpp"

namespace gyre {

template <typename T>
using Atomic = model::Atomic<T>;

// A spinning thread waits for another one, so the checker lets another one go first.
inline void spin_pause() noexcept {
    model::yield();
}

}  // namespace gyre

#else

#    include <atomic>

namespace gyre {

template <typename T>
using Atomic = std::atomic<T>;

// Call it in every round of a spinning loop: the core gives way to its sibling and saves power.
inline void spin_pause() noexcept {
#    if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#    elif defined(__aarch64__)
    asm volatile("yield");
#    endif
}

}  // namespace gyre

#endif
