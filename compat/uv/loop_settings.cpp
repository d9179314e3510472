// SPDX-License-Identifier: Apache-2.0
// Settings of a loop, and its renewal after fork.
#include <signal.h>

#include <cstdarg>

#include "compat/uv/internal/loop_state.hpp"

// The interface has an enumeration before its "...", which C promotes to itself.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvarargs"
int uv_loop_configure(uv_loop_t* loop, uv_loop_option option, ...) {
    auto& state = gyre::uv::LoopState::of(loop);
    std::va_list arguments;
    va_start(arguments, option);
    int status = UV_ENOSYS;
    if (option == UV_METRICS_IDLE_TIME) {
        state.measures_idle_time = true;
        state.phased.count_waiting_events();
        status = 0;
    } else if (option == UV_LOOP_BLOCK_SIGNAL) {
        // The interface knows one signal here, that of profilers.
        const int signal_number = va_arg(arguments, int);
        status = UV_EINVAL;
        if (signal_number == SIGPROF) {
            status = gyre::uv::error_of(state.phased.block_in_wait(signal_number));
        }
    } else if (static_cast<int>(option) == gyre::uv::loop_use_io_uring_sqpoll) {
        // No loop here has a thread of the kernel that polls: files are for the pool.
        status = 0;
    }
    va_end(arguments);
    return status;
}

#pragma GCC diagnostic pop

// In the child of a fork, before the loop is used there.
int uv_loop_fork(uv_loop_t* loop) {
    auto& state = *static_cast<gyre::uv::LoopState*>(loop->internal_fields);
    const int status = gyre::uv::error_of(state.phased.renew_after_fork());
    if (status < 0) return status;
    loop->backend_fd = state.phased.backend_fd();
    if (state.folder_watches != nullptr) return state.folder_watches->renew_after_fork();
    return 0;
}
