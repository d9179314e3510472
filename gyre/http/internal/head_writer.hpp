// SPDX-License-Identifier: Apache-2.0
// HeadWriter: appends a head to an output string. Refuses what would split a message: throws
// Failure for a name that is no token, and for a control character in a value or a
// target. A short-lived view of the string.
//
//     HeadWriter(out).status(200).field("Content-Type", "text/plain").length(5).end();
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/http/message.hpp"

namespace gyre::http {

// Appends several short texts with one check of the capacity. Always inlined, so that the sizes of
// literals are constants.
template <class... Texts>
[[gnu::always_inline]] inline void append_all(std::string& out, const Texts&... texts) {
    const std::size_t begin = out.size();
    const std::size_t size = (begin + ... + std::string_view(texts).size());
    out.resize_and_overwrite(size, [&](char* data, std::size_t) noexcept {
        char* at = data + begin;
        const auto add = [&at](std::string_view text) noexcept {
            at += text.copy(at, text.size());
        };
        (add(texts), ...);
        return size;
    });
}

// A number formatted into a buffer of its own.
class Digits {
public:
    template <class Number>
    explicit Digits(Number number) noexcept {
        end_ = std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr;
    }
    Digits(const Digits&) = delete;
    Digits& operator=(const Digits&) = delete;
    operator std::string_view() const noexcept { return {text_.data(), end_}; }

private:
    std::array<char, 24> text_;
    const char* end_ = nullptr;
};

// Whether the value has no control characters.
[[nodiscard]] bool is_field_value(std::string_view value) noexcept;

inline constexpr std::string_view ok_status_line = "HTTP/1.1 200 OK\r\n";

class HeadWriter {
public:
    explicit HeadWriter(std::string& out) noexcept : out_(out) {}

    HeadWriter& status(int code);
    HeadWriter& request(std::string_view method, std::string_view target);
    HeadWriter& field(std::string_view name, std::string_view value);
    // For a name that is known to be a token. Always inlined, like append_all.
    [[gnu::always_inline]] HeadWriter& known_field(std::string_view name, std::string_view value) {
        if (!is_field_value(value)) refuse_value(name);
        append_all(out_, name, ": ", value, "\r\n");
        return *this;
    }
    HeadWriter& length(std::uint64_t bytes);
    HeadWriter& chunked();
    // The empty line.
    void end();

private:
    [[noreturn]] static void refuse_value(std::string_view name);

    std::string& out_;
};

}  // namespace gyre::http
