// SPDX-License-Identifier: Apache-2.0
// make_platform: chooses the platform of a loop at run time, by name or as the best one available.
//
//     platform::SystemClock clock;
//     auto platform = platform::make_platform(clock);
//     if (!platform) std::fputs(platform.error().message.c_str(), stderr);
//
// Thread: any; the platform then belongs to its loop's thread.
// Lifetime: the caller owns the platform; the clock outlives it.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "gyre/base/result.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/kernel/clock.hpp"
#include "gyre/kernel/platform.hpp"

namespace gyre::platform {

struct PlatformError {
    Error error;
    std::string message;  // says what to do
};

// The names are uring, epoll, and best: the first of the two that the system allows. Without a name:
// that of the environment variable GYRE_PLATFORM, else best.
[[nodiscard]] std::expected<std::unique_ptr<Platform>, PlatformError> make_platform(
    Clock& clock, std::string_view name = "");

// The file system of the operating system, for code without a real platform, such as TraceFile in a
// simulated program. Any thread may use it.
[[nodiscard]] std::unique_ptr<FileTree> make_file_tree();

}  // namespace gyre::platform
