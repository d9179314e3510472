// SPDX-License-Identifier: Apache-2.0
// Value: a parameter of a statement. Made from C++ values; the database gives it the type that the
// statement needs there, or refuses it. Date, Json, Numeric, Timestamp, Uuid: types of databases that C++
// has none for.
//
//     const std::optional<std::string> nickname;  // null
//     co_await database.execute("insert into people values ($1, $2, $3)", 7, "Ada", nickname);
//
// Thread: values.
// Lifetime: values, which own their texts.
//
//     C++                                        PostgreSQL                    SQLite
//     bool                                       boolean                       0 or 1
//     integers up to 64 bits                     smallint, integer, bigint     integer
//     float, double                              real, double precision        real
//     std::string, std::string_view, const char* text, varchar, enums, others  text
//     std::vector<std::byte>                     bytea                         blob
//     Numeric                                    numeric                       text
//     Timestamp                                  timestamp with and without    text, ISO 8601
//     Date                                       date                          text
//     Uuid                                       uuid                          text
//     Json                                       json, jsonb                   text
//     std::vector of these                       an array of one dimension     none
//     std::optional of these                     the same, or null             the same, or null
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gyre::db {

using Blob = std::vector<std::byte>;

// These two have constructors: g++ 12 destroys an aggregate twice inside of a co_await.

// A decimal number of any length, as text: "12.30", "NaN".
struct Numeric {
    Numeric() = default;
    explicit Numeric(std::string of) noexcept : text(std::move(of)) {}
    std::string text;
    friend bool operator==(const Numeric&, const Numeric&) = default;
};

struct Json {
    Json() = default;
    explicit Json(std::string of) noexcept : text(std::move(of)) {}
    std::string text;
    friend bool operator==(const Json&, const Json&) = default;
};

// Microseconds since 1970-01-01 00:00 UTC.
struct Timestamp {
    std::int64_t micros = 0;
    // Before and after every other one.
    static constexpr Timestamp past() noexcept {
        return {std::numeric_limits<std::int64_t>::min()};
    }
    static constexpr Timestamp future() noexcept {
        return {std::numeric_limits<std::int64_t>::max()};
    }
    // "2026-11-19 15:22:00.5+00", with 'T' or a blank between; without a zone: UTC.
    [[nodiscard]] static std::optional<Timestamp> parse(std::string_view text);
    [[nodiscard]] std::string to_string() const;
    friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

// Days since 1970-01-01.
struct Date {
    std::int32_t days = 0;
    [[nodiscard]] static std::optional<Date> parse(std::string_view text);
    [[nodiscard]] std::string to_string() const;
    friend auto operator<=>(const Date&, const Date&) = default;
};

struct Uuid {
    std::array<std::byte, 16> bytes{};
    [[nodiscard]] static std::optional<Uuid> parse(std::string_view text);
    [[nodiscard]] std::string to_string() const;
    friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

class Value;
using Array = std::vector<Value>;

class Value {
public:
    using Held = std::variant<std::monostate, bool, std::int64_t, double, std::string, Blob,
                              Numeric, Json, Timestamp, Date, Uuid, Array>;

    Value() noexcept = default;  // null
    Value(std::nullopt_t /*null*/) noexcept {}
    Value(std::same_as<bool> auto value) noexcept : held_(value) {}
    // An unsigned one above the range of int64_t is kept as a Numeric.
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    Value(T value) {
        if (std::in_range<std::int64_t>(value)) {
            held_ = static_cast<std::int64_t>(value);
        } else {
            held_ = Numeric(std::to_string(value));
        }
    }
    Value(std::floating_point auto value) noexcept : held_(static_cast<double>(value)) {}
    Value(std::string value) noexcept : held_(std::move(value)) {}
    Value(std::string_view value) : held_(std::string(value)) {}
    Value(const char* value) : held_(std::string(value)) {}
    Value(Blob value) noexcept : held_(std::move(value)) {}
    Value(Numeric value) noexcept : held_(std::move(value)) {}
    Value(Json value) noexcept : held_(std::move(value)) {}
    Value(Timestamp value) noexcept : held_(value) {}
    Value(Date value) noexcept : held_(value) {}
    Value(Uuid value) noexcept : held_(value) {}
    template <class T>
    Value(const std::vector<T>& items) : held_(Array(items.begin(), items.end())) {}
    Value(Array items) noexcept : held_(std::move(items)) {}
    template <class T>
    Value(const std::optional<T>& value) {
        if (value) *this = Value(*value);
    }

    [[nodiscard]] const Held& held() const noexcept { return held_; }
    [[nodiscard]] bool is_null() const noexcept { return held_.index() == 0; }
    // "null", "an integer", "text": for messages.
    [[nodiscard]] const char* kind_name() const noexcept;
    // As PostgreSQL writes it, arrays too; empty for null.
    [[nodiscard]] std::string to_text() const;

private:
    Held held_;
};

using Values = std::vector<Value>;

}  // namespace gyre::db
