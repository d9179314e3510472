// SPDX-License-Identifier: Apache-2.0
// The blocking system calls behind the file ops (open, read, write, fsync). Each runs on a thread
// of the Offload, to which the op belongs meanwhile.
#pragma once

#include <cstdint>

#include "gyre/kernel/io_ops.hpp"

namespace gyre::platform {

[[nodiscard]] bool is_file_op(OpCode code) noexcept;

// What no system call need be made for: 0, or the error that the op's fields make sure of.
[[nodiscard]] std::int32_t check_file_op(const Op& op) noexcept;
[[nodiscard]] int open_flags_of(const OpenOptions& how) noexcept;

// Does what the op says and returns its result.
[[nodiscard]] std::int32_t run_file_op(Op& op) noexcept;

}  // namespace gyre::platform
