// SPDX-License-Identifier: Apache-2.0
// Keeps a thread on one core while a case between two threads is measured: on one core together
// they would hand over by a context switch, which is another case altogether.
//
// Affects the calling thread only, until the object goes. Does nothing where only one core is
// allowed.
#pragma once

#include <sched.h>

#include <cstddef>

namespace gyre::bench {

inline cpu_set_t cores_of_this_thread() noexcept {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    return cores;
}

// Read before main: a thread started by a pinned one inherits its single core.
inline const cpu_set_t program_cores = cores_of_this_thread();

class PinnedThread {
public:
    // `index` counts the cores that the program may use, beginning again after the last.
    explicit PinnedThread(std::size_t index) noexcept : before_(cores_of_this_thread()) {
        const auto core_count = static_cast<std::size_t>(CPU_COUNT(&program_cores));
        if (core_count < 2) return;
        index %= core_count;
        std::size_t core = 0;
        for (std::size_t seen = 0;; ++core) {
            if (CPU_ISSET(core, &program_cores) && seen++ == index) break;
        }
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(core, &only);
        is_pinned_ = sched_setaffinity(0, sizeof only, &only) == 0;
    }
    PinnedThread(const PinnedThread&) = delete;
    PinnedThread& operator=(const PinnedThread&) = delete;
    ~PinnedThread() {
        if (is_pinned_) sched_setaffinity(0, sizeof before_, &before_);
    }

private:
    cpu_set_t before_;
    bool is_pinned_ = false;
};

}  // namespace gyre::bench
