// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace gyre::platform {

void name_this_thread(std::string_view name) noexcept {
    std::array<char, 16> text{};
    std::copy_n(name.begin(), std::min(name.size(), text.size() - 1), text.begin());
    ::pthread_setname_np(::pthread_self(), text.data());
}

Result<void> pin_this_thread(int core) noexcept {
    if (core < 0 || core >= CPU_SETSIZE) return std::unexpected(Error(std::errc::invalid_argument));
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    if (::sched_setaffinity(0, sizeof set, &set) < 0) {
        return std::unexpected(Error(static_cast<std::errc>(errno)));
    }
    return {};
}

}  // namespace gyre::platform
