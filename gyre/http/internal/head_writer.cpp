// SPDX-License-Identifier: Apache-2.0
// Writing of heads, and the checks against header injection.
#include "gyre/http/internal/head_writer.hpp"
#include "gyre/base/failure.hpp"

#include <algorithm>
#include <stdexcept>

#include "gyre/http/internal/characters.hpp"
#include "gyre/http/message.hpp"

namespace gyre::http {

HeadWriter& HeadWriter::status(int code) {
    if (code == 200) {
        out_.append(ok_status_line);
        return *this;
    }
    if (code < 100 || code > 999) throw Failure("a status has three digits");
    append_all(out_, "HTTP/1.1 ", Digits(code), " ", reason_of(code), "\r\n");
    return *this;
}

HeadWriter& HeadWriter::request(std::string_view method, std::string_view target) {
    if (!is_token(method)) throw Failure("a method is a token");
    const bool is_clean = !target.empty() && std::none_of(target.begin(), target.end(), [](char c) {
        return is_control(c) || c == ' ';
    });
    if (!is_clean) throw Failure("a target has no spaces or control characters");
    append_all(out_, method, " ", target, " HTTP/1.1\r\n");
    return *this;
}

HeadWriter& HeadWriter::field(std::string_view name, std::string_view value) {
    if (!is_token(name)) throw Failure("the name of a field is a token");
    return known_field(name, value);
}

void HeadWriter::refuse_value(std::string_view name) {
    throw Failure("the value of a field has no control characters: " + std::string(name));
}

HeadWriter& HeadWriter::length(std::uint64_t bytes) {
    append_all(out_, "Content-Length: ", Digits(bytes), "\r\n");
    return *this;
}

HeadWriter& HeadWriter::chunked() {
    out_.append("Transfer-Encoding: chunked\r\n");
    return *this;
}

void HeadWriter::end() {
    out_.append("\r\n");
}

bool is_field_value(std::string_view value) noexcept {
    std::size_t at = find_control(value, 0);
    while (at < value.size() && value[at] == '\t') at = find_control(value, at + 1);
    return at == value.size();
}

}  // namespace gyre::http
