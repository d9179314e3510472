// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/lsp/internal/message_reader.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace gyre::vela::lsp {
namespace {

constexpr std::string_view end_of_header = "\r\n\r\n";

bool is_length_name(std::string_view name) {
    constexpr std::string_view wanted = "content-length";
    return std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == b;
    });
}

// The value of Content-Length; nothing if it is missing or no number.
std::optional<std::size_t> content_length(std::string_view header) {
    std::optional<std::size_t> length;
    while (!header.empty()) {
        const std::size_t end = std::min(header.find("\r\n"), header.size());
        const std::string_view line = header.substr(0, end);
        header.remove_prefix(std::min(end + 2, header.size()));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !is_length_name(line.substr(0, colon))) continue;
        std::string_view value = line.substr(colon + 1);
        while (value.starts_with(' ')) value.remove_prefix(1);
        while (value.ends_with(' ')) value.remove_suffix(1);
        std::size_t number = 0;
        const char* const stop = value.data() + value.size();
        const auto [at, error] = std::from_chars(value.data(), stop, number);
        if (value.empty() || error != std::errc() || at != stop) return std::nullopt;
        length = number;
    }
    return length;
}

}  // namespace

void MessageReader::add(std::string_view bytes) {
    const std::size_t skipped = std::min(skip_, bytes.size());
    skip_ -= skipped;
    bytes.remove_prefix(skipped);
    if (used_ > 0) {
        buffer_.erase(0, used_);
        used_ = 0;
    }
    buffer_ += bytes;
}

std::optional<Message> MessageReader::read_header() {
    const std::string_view rest = std::string_view(buffer_).substr(used_);
    const std::size_t end = rest.substr(0, header_bytes_max_).find(end_of_header);
    if (end == std::string_view::npos) {
        if (rest.size() < header_bytes_max_) return std::nullopt;
        // Nothing tells where the next message begins: the bytes are dropped.
        used_ = buffer_.size();
        return Message{{},
                       "the limit on a header is " + std::to_string(header_bytes_max_) +
                           " bytes (header_bytes_max)"};
    }
    const std::optional<std::size_t> length = content_length(rest.substr(0, end));
    used_ += end + end_of_header.size();
    if (!length) return Message{{}, "a header has no valid Content-Length"};
    if (*length > content_bytes_max_) {
        const std::size_t there = std::min(*length, buffer_.size() - used_);
        used_ += there;
        skip_ = *length - there;
        return Message{{},
                       "the limit on a message is " + std::to_string(content_bytes_max_) +
                           " bytes (message_bytes_max)"};
    }
    content_ = *length;
    return std::nullopt;
}

std::optional<Message> MessageReader::next() {
    if (!content_) {
        if (auto failed = read_header()) return failed;
    }
    if (!content_ || buffer_.size() - used_ < *content_) return std::nullopt;
    Message message{buffer_.substr(used_, *content_), {}};
    used_ += *content_;
    content_.reset();
    return message;
}

}  // namespace gyre::vela::lsp
