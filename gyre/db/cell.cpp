// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/detail/cell.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <system_error>

#include "gyre/db/internal/big_endian.hpp"
#include "gyre/db/internal/float_text.hpp"

namespace gyre::db {

namespace {

// Between 1970, where Timestamp and Date begin, and 2000, where PostgreSQL's begin.
constexpr std::int32_t days_to_2000 = 10'957;
constexpr std::int64_t micros_to_2000 = std::int64_t{days_to_2000} * 86'400 * 1'000'000;

bool has_size(const Cell& cell, std::size_t size) noexcept {
    return !cell.is_null() && cell.bytes().size() == size;
}

template <class T>
bool parse_number(std::string_view text, T& value) noexcept {
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

}  // namespace

const char* name_of(Type type) noexcept {
    static constexpr std::array<const char*, 17> names = {
        "another type", "boolean", "smallint", "integer", "bigint",    "real",
        "double",       "text",    "bytes",    "numeric", "timestamp", "date",
        "uuid",         "json",    "array",    "integer", "text"};
    return names[static_cast<std::size_t>(type)];
}

bool read_integer(const Cell& cell, std::int64_t& value) noexcept {
    switch (cell.type()) {
        case Type::int2:
            if (!has_size(cell, 2)) return false;
            value = from_big_endian<std::int16_t>(cell.bytes());
            return true;
        case Type::int4:
            if (!has_size(cell, 4)) return false;
            value = from_big_endian<std::int32_t>(cell.bytes());
            return true;
        case Type::int8:
        case Type::any_integer:
            if (!has_size(cell, 8)) return false;
            value = from_big_endian<std::int64_t>(cell.bytes());
            return true;
        default:
            return false;
    }
}

bool read_cell(const Cell& cell, bool& value) noexcept {
    if (cell.type() == Type::any_integer) {
        std::int64_t number = 0;
        if (!read_integer(cell, number) || (number != 0 && number != 1)) return false;
        value = number == 1;
        return true;
    }
    if (cell.type() != Type::boolean || !has_size(cell, 1)) return false;
    value = cell.bytes()[0] != std::byte{0};
    return true;
}

bool read_cell(const Cell& cell, double& value) noexcept {
    if (cell.type() == Type::float4 && has_size(cell, 4)) {
        value =
            static_cast<double>(std::bit_cast<float>(from_big_endian<std::uint32_t>(cell.bytes())));
        return true;
    }
    if (cell.type() == Type::float8 && has_size(cell, 8)) {
        value = std::bit_cast<double>(from_big_endian<std::uint64_t>(cell.bytes()));
        return true;
    }
    // Every integer up to 2^53 is a double.
    std::int64_t number = 0;
    constexpr std::int64_t exact_max = std::int64_t{1} << 53;
    if (!read_integer(cell, number) || number > exact_max || number < -exact_max) return false;
    value = static_cast<double>(number);
    return true;
}

bool read_cell(const Cell& cell, float& value) noexcept {
    double wide = 0;
    if (!read_cell(cell, wide)) return false;
    const auto narrow = static_cast<float>(wide);
    // A double that a float does not hold exactly does not fit.
    if (!std::isnan(wide) && static_cast<double>(narrow) != wide) return false;
    value = narrow;
    return true;
}

bool read_cell(const Cell& cell, std::string_view& value) noexcept {
    const Type type = cell.type();
    const bool is_text = type == Type::text || type == Type::any_text || type == Type::other;
    if (cell.is_null() || !is_text) return false;
    value = cell.text();
    return true;
}

bool read_cell(const Cell& cell, std::string& value) {
    std::string_view view;
    if (!read_cell(cell, view)) return false;
    value = view;
    return true;
}

bool read_cell(const Cell& cell, Blob& value) {
    if (cell.is_null() || cell.type() != Type::bytes) return false;
    value.assign(cell.bytes().begin(), cell.bytes().end());
    return true;
}

bool read_cell(const Cell& cell, Numeric& value) {
    if (cell.is_null()) return false;
    std::int64_t number = 0;
    if (read_integer(cell, number)) {
        value.text = std::to_string(number);
        return true;
    }
    if (cell.type() != Type::numeric && cell.type() != Type::any_text) return false;
    value.text = cell.text();
    return true;
}

bool read_cell(const Cell& cell, Json& value) {
    if (cell.is_null() || (cell.type() != Type::json && cell.type() != Type::any_text))
        return false;
    value.text = cell.text();
    return true;
}

bool read_cell(const Cell& cell, Timestamp& value) {
    if (cell.type() == Type::any_text) {
        const auto parsed = Timestamp::parse(cell.text());
        if (parsed) value = *parsed;
        return parsed.has_value();
    }
    if (cell.type() != Type::timestamp || !has_size(cell, 8)) return false;
    const auto micros = from_big_endian<std::int64_t>(cell.bytes());
    if (micros == Timestamp::future().micros || micros == Timestamp::past().micros) {
        value = Timestamp{micros};
        return true;
    }
    if (micros > Timestamp::future().micros - micros_to_2000) return false;
    value = Timestamp{micros + micros_to_2000};
    return true;
}

bool read_cell(const Cell& cell, Date& value) {
    if (cell.type() == Type::any_text) {
        const auto parsed = Date::parse(cell.text());
        if (parsed) value = *parsed;
        return parsed.has_value();
    }
    if (cell.type() != Type::date || !has_size(cell, 4)) return false;
    const auto stored = from_big_endian<std::int32_t>(cell.bytes());
    const std::int64_t days = std::int64_t{stored} + days_to_2000;
    // The lowest is -infinity, the highest infinity.
    const bool is_finite = stored != std::numeric_limits<std::int32_t>::min();
    if (!is_finite || !std::in_range<std::int32_t>(days)) return false;
    value = Date{static_cast<std::int32_t>(days)};
    return true;
}

bool read_cell(const Cell& cell, Uuid& value) {
    if (cell.type() == Type::any_text) {
        const auto parsed = Uuid::parse(cell.text());
        if (parsed) value = *parsed;
        return parsed.has_value();
    }
    if (cell.type() != Type::uuid || !has_size(cell, 16)) return false;
    std::copy_n(cell.bytes().begin(), 16, value.bytes.begin());
    return true;
}

namespace {

// PostgreSQL has no more dimensions.
constexpr std::size_t array_depth_max = 6;

// An array as an item, up to its '}'. Advances `at`.
bool take_inner(std::string_view text, std::size_t& at, ArrayItem& item) {
    const std::size_t begin = at;
    std::size_t depth = 0;
    bool is_quoted = false;
    do {
        if (at == text.size()) return false;
        const char c = text[at++];
        if (c == '\\') {
            if (at++ >= text.size()) return false;
        } else if (c == '"') {
            is_quoted = !is_quoted;
        } else if (!is_quoted && c == '{') {
            if (++depth == array_depth_max) return false;
        } else if (!is_quoted && c == '}') {
            --depth;
        }
    } while (depth > 0);
    item.text = text.substr(begin, at - begin);
    item.is_array = true;
    return true;
}

// One item up to the ',' or '}' behind it. Advances `at`.
bool take_item(std::string_view text, std::size_t& at, ArrayItem& item) {
    if (at < text.size() && text[at] == '{') {
        if (!take_inner(text, at, item)) return false;
    } else if (at < text.size() && text[at] == '"') {
        for (++at; at < text.size() && text[at] != '"'; ++at) {
            if (text[at] == '\\' && ++at == text.size()) return false;
            item.text += text[at];
        }
        if (at == text.size()) return false;
        ++at;
    } else {
        const std::size_t begin = at;
        while (at < text.size() && text[at] != ',' && text[at] != '}') {
            if (text[at] == '{' || text[at] == '"' || text[at] == '\\') return false;
            ++at;
        }
        if (at == begin) return false;
        item.text = text.substr(begin, at - begin);
        item.is_null = item.text == "NULL";
    }
    return at < text.size() && (text[at] == ',' || text[at] == '}');
}

}  // namespace

bool split_array(std::string_view text, std::vector<ArrayItem>& items) {
    // The bounds of one that does not begin with 1: [0:2]={…}.
    if (text.starts_with('[')) {
        const std::size_t equals = text.find_first_not_of("[]:-0123456789");
        if (equals == std::string_view::npos || text[equals] != '=') return false;
        text.remove_prefix(equals + 1);
    }
    if (text == "{}") return true;
    if (text.size() < 2 || text.front() != '{') return false;
    std::size_t at = 0;
    do {
        ++at;
        if (!take_item(text, at, items.emplace_back())) return false;
    } while (text[at] == ',');
    return at + 1 == text.size();
}

namespace {

template <class T>
bool replace_with_binary(std::string& text) {
    T value{};
    if (!parse_number(text, value)) return false;
    text.clear();
    if constexpr (std::same_as<T, float>) {
        append_big_endian(text, std::bit_cast<std::uint32_t>(value));
    } else if constexpr (std::same_as<T, double>) {
        append_big_endian(text, std::bit_cast<std::uint64_t>(value));
    } else {
        append_big_endian(text, value);
    }
    return true;
}

bool replace_bytes(std::string& text) {
    if (text.size() < 2 || text.size() % 2 != 0 || !text.starts_with("\\x")) return false;
    std::string bytes;
    for (std::size_t i = 2; i < text.size(); i += 2) {
        unsigned value = 0;
        const auto end = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
        if (end.ec != std::errc() || end.ptr != text.data() + i + 2) return false;
        bytes += static_cast<char>(value);
    }
    text = std::move(bytes);
    return true;
}

bool replace_timestamp(std::string& text) {
    const auto parsed = Timestamp::parse(text);
    if (!parsed) return false;
    const bool is_finite = *parsed != Timestamp::past() && *parsed != Timestamp::future();
    text.clear();
    append_big_endian(text, is_finite ? parsed->micros - micros_to_2000 : parsed->micros);
    return true;
}

bool replace_date(std::string& text) {
    const auto parsed = Date::parse(text);
    if (!parsed) return false;
    text.clear();
    append_big_endian(text, parsed->days - days_to_2000);
    return true;
}

bool replace_uuid(std::string& text) {
    const auto parsed = Uuid::parse(text);
    if (!parsed) return false;
    text = text_of(ConstBytes(parsed->bytes));
    return true;
}

}  // namespace

bool binary_of_text(Type type, std::string& text) {
    switch (type) {
        case Type::boolean:
            if (text != "t" && text != "f") return false;
            text.assign(1, text == "t" ? '\1' : '\0');
            return true;
        case Type::int2:
            return replace_with_binary<std::int16_t>(text);
        case Type::int4:
            return replace_with_binary<std::int32_t>(text);
        case Type::int8:
            return replace_with_binary<std::int64_t>(text);
        case Type::float4:
            return replace_with_binary<float>(text);
        case Type::float8:
            return replace_with_binary<double>(text);
        case Type::bytes:
            return replace_bytes(text);
        case Type::timestamp:
            return replace_timestamp(text);
        case Type::date:
            return replace_date(text);
        case Type::uuid:
            return replace_uuid(text);
        default:
            return true;
    }
}

namespace {

template <class T>
std::string text_as(const Cell& cell) {
    T value{};
    return read_cell(cell, value) ? Value(std::move(value)).to_text() : std::string("(malformed)");
}

}  // namespace

std::string Cell::to_text() const {
    if (is_null_) return {};
    switch (type_) {
        case Type::boolean:
            return text_as<bool>(*this);
        case Type::int2:
        case Type::int4:
        case Type::int8:
        case Type::any_integer:
            return text_as<std::int64_t>(*this);
        case Type::float4: {
            float value = 0;
            if (!read_cell(*this, value) || !std::isfinite(value)) return text_as<double>(*this);
            return float_text(value);
        }
        case Type::float8:
            return text_as<double>(*this);
        case Type::bytes:
            return text_as<Blob>(*this);
        case Type::timestamp:
            return text_as<Timestamp>(*this);
        case Type::date:
            return text_as<Date>(*this);
        case Type::uuid:
            return text_as<Uuid>(*this);
        default:
            return std::string(text());
    }
}

}  // namespace gyre::db
