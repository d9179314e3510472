// SPDX-License-Identifier: Apache-2.0
// Cell: one column of one row as bytes, in the form in which the database gave it, and how it is
// read as a C++ type. Binary forms are PostgreSQL's: big-endian numbers, microseconds and days since
// 2000. Arrays and numerics are text.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/db/value.hpp"

namespace gyre::db {

enum class Type : std::uint8_t {
    other,  // one without a C++ type of its own: as text
    boolean,
    int2,
    int4,
    int8,
    float4,
    float8,
    text,
    bytes,
    numeric,
    timestamp,
    date,
    uuid,
    json,
    array,
    // SQLite has these only: a type belongs to a value there, and stands for several of C++.
    any_integer,
    any_text
};
[[nodiscard]] const char* name_of(Type type) noexcept;

struct ColumnInfo {
    std::string name;
    Type type = Type::other;
    Type element = Type::other;  // of an array
    std::uint32_t oid = 0;       // the type of PostgreSQL
};
using Columns = std::vector<ColumnInfo>;

class Cell {
public:
    Cell() noexcept = default;  // null
    Cell(Type type, Type element, ConstBytes bytes) noexcept
        : bytes_(bytes), type_(type), element_(element), is_null_(false) {}

    [[nodiscard]] bool is_null() const noexcept { return is_null_; }
    [[nodiscard]] Type type() const noexcept { return type_; }
    [[nodiscard]] Type element() const noexcept { return element_; }
    [[nodiscard]] ConstBytes bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::string_view text() const noexcept { return text_of(bytes_); }
    // As PostgreSQL prints it; "" for null.
    [[nodiscard]] std::string to_text() const;

private:
    ConstBytes bytes_;
    Type type_ = Type::other;
    Type element_ = Type::other;
    bool is_null_ = true;
};

// Each is false, and leaves the value alone, where the cell does not fit.
[[nodiscard]] bool read_cell(const Cell& cell, bool& value) noexcept;
[[nodiscard]] bool read_cell(const Cell& cell, double& value) noexcept;
[[nodiscard]] bool read_cell(const Cell& cell, float& value) noexcept;
[[nodiscard]] bool read_cell(const Cell& cell, std::string_view& value) noexcept;
[[nodiscard]] bool read_cell(const Cell& cell, std::string& value);
[[nodiscard]] bool read_cell(const Cell& cell, Blob& value);
[[nodiscard]] bool read_cell(const Cell& cell, Numeric& value);
[[nodiscard]] bool read_cell(const Cell& cell, Json& value);
[[nodiscard]] bool read_cell(const Cell& cell, Timestamp& value);
[[nodiscard]] bool read_cell(const Cell& cell, Date& value);
[[nodiscard]] bool read_cell(const Cell& cell, Uuid& value);
[[nodiscard]] bool read_integer(const Cell& cell, std::int64_t& value) noexcept;

template <std::integral T>
    requires(!std::same_as<T, bool>)
[[nodiscard]] bool read_cell(const Cell& cell, T& value) noexcept {
    std::int64_t wide = 0;
    if (!read_integer(cell, wide) || !std::in_range<T>(wide)) return false;
    value = static_cast<T>(wide);
    return true;
}

template <class T>
[[nodiscard]] bool read_cell(const Cell& cell, std::optional<T>& value) {
    if (cell.is_null()) {
        value.reset();
        return true;
    }
    return read_cell(cell, value.emplace());
}

// The items of an array's text; false if it is none. In one of several dimensions they are arrays.
struct ArrayItem {
    std::string text;
    bool is_null = false;
    bool is_array = false;
};
[[nodiscard]] bool split_array(std::string_view text, std::vector<ArrayItem>& items);
// The text of an item in the form in which a cell of that type holds it; false if it is none.
[[nodiscard]] bool binary_of_text(Type type, std::string& text);

template <class T>
    requires(!std::same_as<T, std::byte>)
[[nodiscard]] bool read_cell(const Cell& cell, std::vector<T>& value) {
    std::vector<ArrayItem> items;
    if (cell.type() != Type::array || !split_array(cell.text(), items)) return false;
    std::vector<T> all;
    all.reserve(items.size());
    for (ArrayItem& item : items) {
        const bool is_plain = !item.is_null && !item.is_array;
        if (is_plain && !binary_of_text(cell.element(), item.text)) return false;
        const Type type = item.is_array ? Type::array : cell.element();
        const Cell inner = item.is_null ? Cell() : Cell(type, cell.element(), bytes_of(item.text));
        if (!read_cell(inner, all.emplace_back())) return false;
    }
    value = std::move(all);
    return true;
}

template <class T>
concept ReadableCell = requires(const Cell& cell, T& value) { read_cell(cell, value); };

// "an integer of 32 bits", "text": for messages.
template <class T>
[[nodiscard]] constexpr const char* cpp_type_name() noexcept {
    if constexpr (requires {
                      typename T::value_type;
                      T().has_value();
                  }) {
        return cpp_type_name<typename T::value_type>();
    } else if constexpr (std::same_as<T, bool>) {
        return "bool";
    } else if constexpr (std::integral<T>) {
        constexpr std::array<const char*, 9> texts = {"",
                                                      "an integer of 8 bits",
                                                      "an integer of 16 bits",
                                                      "",
                                                      "an integer of 32 bits",
                                                      "",
                                                      "",
                                                      "",
                                                      "an integer of 64 bits"};
        return texts[sizeof(T)];
    } else if constexpr (std::floating_point<T>) {
        return "a float";
    } else if constexpr (std::convertible_to<T, std::string_view>) {
        return "text";
    } else if constexpr (std::same_as<T, Blob>) {
        return "bytes";
    } else if constexpr (std::same_as<T, Numeric>) {
        return "Numeric";
    } else if constexpr (std::same_as<T, Json>) {
        return "Json";
    } else if constexpr (std::same_as<T, Timestamp>) {
        return "Timestamp";
    } else if constexpr (std::same_as<T, Date>) {
        return "Date";
    } else if constexpr (std::same_as<T, Uuid>) {
        return "Uuid";
    } else {
        return "an array";
    }
}

}  // namespace gyre::db
