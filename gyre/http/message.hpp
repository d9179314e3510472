// SPDX-License-Identifier: Apache-2.0
// RequestHead, ResponseHead and their parts: methods, statuses, versions, fields, and the framing
// of the body.
//
//     const http::RequestHead& head = request.head();
//     if (head.method == http::Method::post && head.fields.has("Content-Type")) {
//         response.send(head.fields.get("Content-Type"));
//     }
//
// Thread: plain values and pure functions.
// Lifetime: all texts are views into the buffer that was parsed, valid as long as its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gyre::http {

// The methods of RFC 9110 and PATCH; `other` is any other registered method.
enum class Method : std::uint8_t {
    get,
    head,
    post,
    put,
    delete_,
    connect,
    options,
    trace,
    patch,
    other
};

// By the values of Method; `other` has no name.
inline constexpr std::array<std::string_view, 10> method_names = {
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", ""};

[[nodiscard]] constexpr std::string_view name_of(Method method) noexcept {
    return method_names[static_cast<std::size_t>(method)];
}
[[nodiscard]] constexpr Method method_of(std::string_view name) noexcept {
    for (std::size_t i = 0; i + 1 < method_names.size(); ++i) {
        if (method_names[i] == name) return static_cast<Method>(i);
    }
    return Method::other;
}
// RFC 9110 9.2.1: read-only.
[[nodiscard]] bool is_safe(Method method) noexcept;
// RFC 9110 9.2.2: may be repeated.
[[nodiscard]] bool is_idempotent(Method method) noexcept;

// The reason phrase: "Not Found"; empty for a status that is not registered.
[[nodiscard]] std::string_view reason_of(int status) noexcept;

// Seconds since 1970, UTC.
using UnixSeconds = std::int64_t;
// RFC 9110 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::string date_text(UnixSeconds time);
// Accepts the three formats of the RFC; nullopt for anything else.
[[nodiscard]] std::optional<UnixSeconds> parse_date(std::string_view text) noexcept;

enum class Version : std::uint8_t { http_1_0, http_1_1 };

struct Field {
    std::string_view name;
    std::string_view value;  // without leading and trailing spaces
};

// The fields in the order of the message. Names are compared without case.
class Fields {
public:
    [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
    [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }
    [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
    [[nodiscard]] auto end() const noexcept { return fields_.end(); }
    [[nodiscard]] const Field& operator[](std::size_t i) const noexcept { return fields_[i]; }

    // The first field of this name; empty if there is none.
    [[nodiscard]] std::string_view get(std::string_view name) const noexcept {
        const Field* field = find(name);
        return field != nullptr ? field->value : std::string_view();
    }
    [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
    [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
    // Whether a comma-separated field of this name, in any of its lines, has this member.
    [[nodiscard]] bool lists(std::string_view name, std::string_view word) const noexcept;

    // Keeps the memory for the next head of the connection.
    void clear() noexcept { fields_.clear(); }
    void add(Field field) { fields_.push_back(field); }
    [[nodiscard]] Field& back() noexcept { return fields_.back(); }

private:
    [[nodiscard]] const Field* find(std::string_view name) const noexcept;

    std::vector<Field> fields_;
};

// RFC 9110 14.4: a parsed Content-Range field, `bytes 0-99/1234`.
struct ContentRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::optional<std::uint64_t> whole_bytes;  // nullopt for `*`: not known to the sender
};
// nullopt for a malformed field, and for that of a 416.
[[nodiscard]] std::optional<ContentRange> parse_content_range(std::string_view field) noexcept;

// How the end of a body is determined.
enum class Framing : std::uint8_t { none, length, chunked, until_close };

struct MessageHead {
    Version version = Version::http_1_1;
    Framing framing = Framing::none;
    std::uint64_t content_length = 0;  // if the framing is `length`
    bool keeps_alive = true;           // the sender allows another message on the connection
    bool asks_upgrade = false;
    Fields fields;
};

struct RequestHead : MessageHead {
    Method method = Method::get;
    std::string_view method_name;
    std::string_view target;
    std::string_view host;
    bool expects_continue = false;
};

struct ResponseHead : MessageHead {
    int status = 0;
    std::string_view reason;
};

// The state of a parser after the bytes it was given.
enum class ParseState : std::uint8_t { more, complete, refused };

}  // namespace gyre::http
