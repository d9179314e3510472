// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/fork_watch.hpp"

#include <pthread.h>

namespace gyre::platform {
namespace {

// Written by a child's only thread, before anything else runs in it.
std::uint32_t generation = 0;

}  // namespace

int watch_forks() noexcept {
    static const int status = ::pthread_atfork(nullptr, nullptr, [] { ++generation; });
    return status;
}

std::uint32_t process_generation() noexcept {
    return generation;
}

}  // namespace gyre::platform
