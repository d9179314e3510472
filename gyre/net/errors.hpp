// SPDX-License-Identifier: Apache-2.0
// What reading and sending can fail with beside the system's errors. Plain values; all are system
// errors too, so that `try_` gives them as an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

namespace gyre::net {

// The stream ended inside of something. Its code is std::errc::connection_aborted.
class StreamEnded : public std::system_error {
public:
    // "the stream ended inside of a line, after 3 bytes".
    StreamEnded(const std::string& inside_of, std::size_t size_bytes);
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// A file is shorter than the part of it that was to be sent. Its code is std::errc::io_error.
class FileEnded : public std::system_error {
public:
    // "the file ended 12 bytes before the end of what was to be sent".
    explicit FileEnded(std::uint64_t missing_bytes);
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

// What came is larger than it may be; the text names the limit. Its code is
// std::errc::message_size. Nothing was taken: the bytes are still in the buffer.
class LimitError : public std::system_error {
public:
    // "a line has more than 8192 bytes, the limit ReaderOptions::line_size_max".
    LimitError(const std::string& thing, std::size_t limit_bytes, const char* limit_name);
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

}  // namespace gyre::net
