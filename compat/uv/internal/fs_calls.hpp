// SPDX-License-Identifier: Apache-2.0
// The file system calls behind uv_fs_*: each takes its arguments from the request, and puts its
// result there. On a thread of the pool, or on the caller's for a request without a callback.
#pragma once

#include <cerrno>

#include "compat/uv/internal/newer.hpp"

namespace gyre::uv {

// The result of a system call, or its negated error.
using FsCall = ssize_t (*)(uv_fs_t& request) noexcept;

// By the request's fs_type; null for a type that is no call.
[[nodiscard]] FsCall fs_call_of(uv_fs_type type) noexcept;

// Calls of whole folders and files (fs_folders.cpp, fs_copy.cpp).
ssize_t fs_scandir(uv_fs_t& request) noexcept;
ssize_t fs_opendir(uv_fs_t& request) noexcept;
ssize_t fs_readdir(uv_fs_t& request) noexcept;
ssize_t fs_closedir(uv_fs_t& request) noexcept;
ssize_t fs_copyfile(uv_fs_t& request) noexcept;
ssize_t fs_sendfile(uv_fs_t& request) noexcept;

// Frees what a scandir or readdir has put into the request.
void free_folder_result(uv_fs_t& request) noexcept;

// Calls again while a signal interrupts it.
template <class Call>
ssize_t without_interruption(Call call) noexcept {
    for (;;) {
        const auto result = static_cast<ssize_t>(call());
        if (result >= 0) return result;
        if (errno != EINTR) return -errno;
    }
}

}  // namespace gyre::uv
