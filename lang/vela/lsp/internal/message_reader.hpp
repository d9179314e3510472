// SPDX-License-Identifier: Apache-2.0
// MessageReader: takes the messages out of the byte stream of an editor: a header with
// Content-Length, an empty line, the content. Memory is bounded: a content over the limit is
// skipped, not stored. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gyre::vela::lsp {

struct Message {
    std::string content;
    std::string error;  // why there is no content; empty if there is one
};

class MessageReader {
public:
    MessageReader(std::size_t content_bytes_max, std::size_t header_bytes_max)
        : content_bytes_max_(content_bytes_max), header_bytes_max_(header_bytes_max) {}

    void add(std::string_view bytes);
    // The next whole message.
    [[nodiscard]] std::optional<Message> next();

private:
    std::optional<Message> read_header();

    const std::size_t content_bytes_max_;
    const std::size_t header_bytes_max_;
    std::string buffer_;
    std::size_t used_ = 0;                // bytes of the buffer that were taken
    std::optional<std::size_t> content_;  // the length of the content that comes next
    std::size_t skip_ = 0;                // bytes of a content that is too large
};

}  // namespace gyre::vela::lsp
