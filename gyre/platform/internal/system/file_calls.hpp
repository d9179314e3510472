// SPDX-License-Identifier: Apache-2.0
// The blocking system calls behind the file ops (open, read, write, fsync, and the others of
// file_ops.hpp). Each runs on a thread of the Offload, which owns the op meanwhile.
#pragma once

#include <sys/stat.h>
#include <sys/uio.h>

#include <cstdint>

#include "gyre/io/file_ops.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre::platform {

// Whether the op works on an open file, not on a path.
[[nodiscard]] bool has_descriptor(const IoOp& op) noexcept;

// Checks without a system call: 0, or the error that follows from the op's fields alone.
[[nodiscard]] std::int32_t check_file_op(const Op& op) noexcept;
[[nodiscard]] int open_flags_of(const OpenOptions& how) noexcept;
[[nodiscard]] const iovec* vectors_of(const PartsOp& op) noexcept;
[[nodiscard]] int vector_count_of(const PartsOp& op) noexcept;

// The buffer into which the system writes the result of a statx request; tell_found copies it to
// the op.
[[nodiscard]] struct statx* statx_of(PathOp& op) noexcept;
void tell_found(PathOp& op) noexcept;

// Executes the op and returns its result.
[[nodiscard]] std::int32_t run_file_op(Op& op) noexcept;

}  // namespace gyre::platform
