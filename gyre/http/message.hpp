// SPDX-License-Identifier: Apache-2.0
// What a message's head says: the request line or status line, the fields, and how long the body
// is. All texts are views into the buffer that was parsed: they last as long as its bytes. Plain
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gyre/http/characters.hpp"

namespace gyre::http {

// The methods of RFC 9110 and PATCH by name; every other that is registered is `other`.
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

[[nodiscard]] std::string_view name_of(Method method) noexcept;
[[nodiscard]] Method method_of(std::string_view name) noexcept;
// RFC 9110 9.2.1: asks for nothing but an answer.
[[nodiscard]] bool is_safe(Method method) noexcept;
// RFC 9110 9.2.2: twice is once.
[[nodiscard]] bool is_idempotent(Method method) noexcept;

enum class Version : std::uint8_t { http_1_0, http_1_1 };

struct Field {
    std::string_view name;
    std::string_view value;  // without spaces around it
};

// In the order they came. Names are found whatever their case.
class Fields {
public:
    [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
    [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }
    [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
    [[nodiscard]] auto end() const noexcept { return fields_.end(); }
    [[nodiscard]] const Field& operator[](std::size_t i) const noexcept { return fields_[i]; }

    // The first of that name; empty where there is none.
    [[nodiscard]] std::string_view get(std::string_view name) const noexcept {
        const Field* field = find(name);
        return field != nullptr ? field->value : std::string_view();
    }
    [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
    [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
    // Whether a list field of that name, in all its lines, holds the word.
    [[nodiscard]] bool lists(std::string_view name, std::string_view word) const noexcept;

    // Keeps its memory, so that the next head of a connection needs none.
    void clear() noexcept { fields_.clear(); }
    void add(Field field) { fields_.push_back(field); }
    [[nodiscard]] Field& back() noexcept { return fields_.back(); }

private:
    [[nodiscard]] const Field* find(std::string_view name) const noexcept;

    std::vector<Field> fields_;
};

// How the end of a body is found.
enum class Framing : std::uint8_t { none, length, chunked, until_close };

// What both kinds of head have.
struct MessageHead {
    Version version = Version::http_1_1;
    Framing framing = Framing::none;
    std::uint64_t content_length = 0;  // where the framing is `length`
    bool keeps_alive = true;           // as far as this side has a say
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

// How far a parser is with the bytes that it was given.
enum class ParseState : std::uint8_t { more, complete, refused };

}  // namespace gyre::http
