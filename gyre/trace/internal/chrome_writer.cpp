// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/internal/chrome_writer.hpp"

#include <array>
#include <charconv>

namespace gyre::trace {
namespace {

constexpr std::size_t flush_size = 1u << 16u;
constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

// The size of the first character in bytes; 0 when it is not UTF-8.
std::size_t character_size(std::string_view text) noexcept {
    const auto byte = [&text](std::size_t at) -> unsigned {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0u) != 0x80) return 0;
    }
    // Overlong, a surrogate, or above U+10FFFF.
    const unsigned second = byte(1);
    if (lead == 0xe0 && second < 0xa0) return 0;
    if (lead == 0xed && second > 0x9f) return 0;
    if (lead == 0xf0 && second < 0x90) return 0;
    if (lead == 0xf4 && second > 0x8f) return 0;
    return size;
}

void append_ascii(std::string& to, char character) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
        to += '\\';
        to += character;
    } else if (code < 0x20 || code == 0x7f) {
        to += "\\u00";
        to += digits[code >> 4u];
        to += digits[code & 0xfu];
    } else {
        to += character;
    }
}

template <class Number>
void append_number(std::string& to, Number value, int base = 10) {
    std::array<char, 24> digits;
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), value, base);
    to.append(digits.data(), end);
}

}  // namespace

void append_json_string(std::string& to, std::string_view text) {
    to += '"';
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        if (size == 1) {
            append_ascii(to, text[0]);
        } else {
            to += size == 0 ? replacement : text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    to += '"';
}

ChromeWriter& ChromeWriter::begin(char phase, Row row, std::string_view name) {
    pending_ += is_first_event_ ? "\n{" : ",\n{";
    is_first_event_ = false;
    is_first_field_ = true;
    append_key("ph");
    pending_ += {'"', phase, '"'};
    number("pid", row.process);
    number("tid", row.thread);
    return text("name", name);
}

ChromeWriter& ChromeWriter::at(std::uint64_t time_ns) {
    append_key("ts");
    append_microseconds(time_ns > origin_ns_ ? time_ns - origin_ns_ : 0);
    return *this;
}

ChromeWriter& ChromeWriter::during(std::uint64_t begin_ns, std::uint64_t end_ns) {
    at(begin_ns);
    append_key("dur");
    append_microseconds(end_ns > begin_ns ? end_ns - begin_ns : 0);
    return *this;
}

ChromeWriter& ChromeWriter::text(std::string_view key, std::string_view value) {
    append_key(key);
    append_json_string(pending_, value);
    return *this;
}

ChromeWriter& ChromeWriter::number(std::string_view key, std::int64_t value) {
    append_key(key);
    append_number(pending_, value);
    return *this;
}

ChromeWriter& ChromeWriter::id(std::string_view key, std::uint64_t value) {
    append_key(key);
    pending_ += "\"0x";
    append_number(pending_, value, 16);
    pending_ += '"';
    return *this;
}

ChromeWriter& ChromeWriter::arguments() {
    append_key("args");
    pending_ += '{';
    is_first_field_ = true;
    has_arguments_ = true;
    return *this;
}

void ChromeWriter::end() {
    pending_ += has_arguments_ ? "}}" : "}";
    has_arguments_ = false;
    if (pending_.size() >= flush_size) flush();
}

void ChromeWriter::raw(std::string_view text) {
    pending_ += text;
}

void ChromeWriter::flush() {
    sink_.write(pending_);
    pending_.clear();
}

// Keys are literals of this module: they need no escapes.
void ChromeWriter::append_key(std::string_view key) {
    if (!is_first_field_) pending_ += ',';
    is_first_field_ = false;
    pending_ += '"';
    pending_ += key;
    pending_ += "\":";
}

// Three digits after the point keep the nanoseconds.
void ChromeWriter::append_microseconds(std::uint64_t ns) {
    append_number(pending_, ns / 1000);
    const auto rest = static_cast<unsigned>(ns % 1000);
    pending_ += {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                 static_cast<char>('0' + rest % 10)};
}

}  // namespace gyre::trace
