// SPDX-License-Identifier: Apache-2.0
#include "gyre/fs/file_error.hpp"

namespace gyre::fs {

FileError::FileError(const char* verb, const std::string& path, Error error)
    : std::system_error(std::make_error_code(error.code()), std::string(verb) + " '" + path + "'"),
      path_(path) {}

LimitError::LimitError(const char* verb, const std::string& path, const char* limit,
                       std::uint64_t value)
    : std::system_error(std::make_error_code(std::errc::value_too_large)),
      text_(std::string(verb) + " '" + path + "': more than " + limit + " = " +
            std::to_string(value)) {}

}  // namespace gyre::fs
