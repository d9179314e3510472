// SPDX-License-Identifier: Apache-2.0
// What operations on files fail with. Both are std::system_error, so `try_` gives them as an Error.
// Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>

#include "gyre/base/result.hpp"

namespace gyre::fs {

// "open '/etc/none': No such file or directory".
class FileError : public std::system_error {
public:
    FileError(const char* verb, const std::string& path, Error error);
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

// There is more than a limit allows; names the limit: "read_file '/var/log/x': more than
// size_max_bytes = 65536". Its code is std::errc::value_too_large.
class LimitError : public std::system_error {
public:
    LimitError(const char* verb, const std::string& path, const char* limit, std::uint64_t value);
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

}  // namespace gyre::fs
