// SPDX-License-Identifier: Apache-2.0
// The blocking system calls behind the file ops (open, read, write, fsync, and those of
// file_ops.hpp). Each runs on a thread of the Offload, to which the op belongs meanwhile.
#pragma once

#include <sys/stat.h>
#include <sys/uio.h>

#include <cstdint>

#include "gyre/io/file_ops.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre::platform {

// Whether it works on an open file, not on a name.
[[nodiscard]] bool has_descriptor(const IoOp& op) noexcept;

// What no system call need be made for: 0, or the error that the op's fields make sure of.
[[nodiscard]] std::int32_t check_file_op(const Op& op) noexcept;
[[nodiscard]] int open_flags_of(const OpenOptions& how) noexcept;
[[nodiscard]] const iovec* vectors_of(const PartsOp& op) noexcept;
[[nodiscard]] int vector_count_of(const PartsOp& op) noexcept;

// Where the system writes what a request for the op's name finds; and takes it from there.
[[nodiscard]] struct statx* statx_of(PathOp& op) noexcept;
void tell_found(PathOp& op) noexcept;

// Does what the op says and returns its result.
[[nodiscard]] std::int32_t run_file_op(Op& op) noexcept;

}  // namespace gyre::platform
