// SPDX-License-Identifier: Apache-2.0
// LineOutput: writes lines to a descriptor, and drops those for which it would have to wait: a pipe
// that nobody reads must not stop a loop. The next line that is written says how many were dropped.
// Any thread may write; lines of several threads do not mix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "gyre/base/log.hpp"

namespace gyre {

class LineOutput {
public:
    // The size that a pipe takes whole or not at all (PIPE_BUF). Longer lines are cut.
    static constexpr std::size_t line_bytes_max = 4096;

    explicit constexpr LineOutput(int fd) noexcept : fd_(fd) {}

    // The line ends with a newline. It fails with an error of the descriptor: nobody can read it any
    // more, or the disk is full.
    Printed write(std::string_view line) noexcept;
    [[nodiscard]] std::uint64_t dropped_count() const noexcept;

private:
    mutable std::mutex mutex_;
    const int fd_;
    std::uint64_t dropped_count_ = 0;
    std::uint64_t told_count_ = 0;  // of the dropped lines that a written line has told
};

// Of this process.
[[nodiscard]] LineOutput& standard_error() noexcept;
[[nodiscard]] LineOutput& standard_output() noexcept;

}  // namespace gyre
