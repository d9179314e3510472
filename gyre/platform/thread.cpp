// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

namespace gyre::platform {
namespace {

constexpr int core_count_max = 8192;

}  // namespace

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

std::vector<int> cores_of_this_thread() {
    // Larger than cpu_set_t, which ends at 1024 cores.
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(core_count_max), [](cpu_set_t* allocated) { CPU_FREE(allocated); });
    std::vector<int> cores;
    if (set == nullptr) return cores;
    const std::size_t size = CPU_ALLOC_SIZE(core_count_max);
    CPU_ZERO_S(size, set.get());
    if (::sched_getaffinity(0, size, set.get()) < 0) return cores;
    for (int core = 0; core < core_count_max; ++core) {
        if (CPU_ISSET_S(static_cast<std::size_t>(core), size, set.get())) cores.push_back(core);
    }
    return cores;
}

}  // namespace gyre::platform
