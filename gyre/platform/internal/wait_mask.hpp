// SPDX-License-Identifier: Apache-2.0
// WaitMask: the signals that are blocked while a platform waits, and only then: a profiler's signal
// would end every wait. Without any it costs nothing. The loop's own thread.
#pragma once

#include <signal.h>

#include <cerrno>
#include <cstdint>

namespace gyre::platform {

class WaitMask {
public:
    WaitMask() noexcept { ::sigemptyset(&signals_); }

    // Result: 0, or a negative error number for a number that is no signal.
    [[nodiscard]] std::int32_t add(int number) noexcept {
        if (::sigaddset(&signals_, number) != 0) return -errno;
        is_in_use_ = true;
        return 0;
    }

    // Blocks the signals as long as it lives.
    class Applied {
    public:
        explicit Applied(const WaitMask& mask) noexcept : is_in_use_(mask.is_in_use_) {
            if (is_in_use_) ::pthread_sigmask(SIG_BLOCK, &mask.signals_, &before_);
        }
        ~Applied() {
            if (is_in_use_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        }
        Applied(const Applied&) = delete;
        Applied& operator=(const Applied&) = delete;

    private:
        const bool is_in_use_;
        sigset_t before_;
    };

private:
    sigset_t signals_;
    bool is_in_use_ = false;
};

}  // namespace gyre::platform
