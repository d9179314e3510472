// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/errors.hpp"

namespace gyre::net {

StreamEnded::StreamEnded(const std::string& inside_of, std::size_t size_bytes)
    : std::system_error(std::make_error_code(std::errc::connection_aborted)),
      text_("the stream ended inside of " + inside_of + ", after " + std::to_string(size_bytes) +
            " bytes") {}

FileEnded::FileEnded(std::uint64_t missing_bytes)
    : std::system_error(std::make_error_code(std::errc::io_error)),
      text_("the file ended " + std::to_string(missing_bytes) +
            " bytes before the end of what was to be sent") {}

LimitError::LimitError(const std::string& thing, std::size_t limit_bytes, const char* limit_name)
    : std::system_error(std::make_error_code(std::errc::message_size)),
      text_(thing + " has more than " + std::to_string(limit_bytes) + " bytes, the limit " +
            limit_name) {}

}  // namespace gyre::net
