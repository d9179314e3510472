// SPDX-License-Identifier: Apache-2.0
// The only access to atomics: files that share memory between threads use gyre::Atomic, never
// std::atomic. Any thread may use an Atomic, as its memory orders allow; it lives with its owner.
//
// Why the #ifdef, the only one of its kind: the model checker (tests/model) compiles the real
// sources of the inbox and the other lock-free classes a second time with GYRE_MODEL_CHECK, where
// each access is a point at which the checker may switch threads. In a normal build Atomic is
// std::atomic itself, at no cost; the checker's header is on the include path of its own tests
// only.
#pragma once

#ifdef GYRE_MODEL_CHECK

#    include "model_atomic.hpp"

namespace gyre {

template <typename T>
using Atomic = model::Atomic<T>;

// A spinning thread waits for another thread, so the checker switches to another one here.
inline void spin_pause() noexcept {
    model::yield();
}

}  // namespace gyre

#else

#    include <atomic>

namespace gyre {

template <typename T>
using Atomic = std::atomic<T>;

// Call it in every round of a spin loop: it frees the core for its hyperthread sibling and saves
// power.
inline void spin_pause() noexcept {
#    if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#    elif defined(__aarch64__)
    asm volatile("yield");
#    endif
}

}  // namespace gyre

#endif
