// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/postgres/types.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "gyre/db/error.hpp"
#include "gyre/db/internal/big_endian.hpp"

namespace gyre::db::postgres {

namespace {

struct TypeRow {
    Oid oid;
    Oid array_oid;
    Type type;
};

// Of pg_type: the numbers of built-in types never change.
constexpr std::array<TypeRow, 20> types = {
    {{16, 1000, Type::boolean},     {17, 1001, Type::bytes},       {19, 1003, Type::text},
     {20, 1016, Type::int8},        {21, 1005, Type::int2},        {23, 1007, Type::int4},
     {25, 1009, Type::text},        {26, 1028, Type::other},       {114, 199, Type::json},
     {700, 1021, Type::float4},     {701, 1022, Type::float8},     {705, 0, Type::text},
     {1042, 1014, Type::text},      {1043, 1015, Type::text},      {1082, 1182, Type::date},
     {1114, 1115, Type::timestamp}, {1184, 1185, Type::timestamp}, {1700, 1231, Type::numeric},
     {2950, 2951, Type::uuid},      {3802, 3807, Type::json}}};

constexpr std::int64_t micros_to_2000 = std::int64_t{946'684'800} * 1'000'000;
constexpr std::int32_t days_to_2000 = 10'957;

template <class T>
bool append_integer(std::string& to, std::int64_t value) {
    if (!std::in_range<T>(value)) return false;
    append_big_endian(to, static_cast<T>(value));
    return true;
}

bool append_float(std::string& to, const Value& value, bool is_wide) {
    double number = 0;
    if (const auto* real = std::get_if<double>(&value.held())) {
        number = *real;
    } else if (const auto* whole = std::get_if<std::int64_t>(&value.held())) {
        number = static_cast<double>(*whole);
        constexpr std::int64_t exact_max = std::int64_t{1} << 53;
        if (*whole > exact_max || *whole < -exact_max) return false;
    } else {
        return false;
    }
    if (is_wide) {
        append_big_endian(to, std::bit_cast<std::uint64_t>(number));
        return true;
    }
    const auto narrow = static_cast<float>(number);
    if (std::isfinite(number) && !std::isfinite(narrow)) return false;
    append_big_endian(to, std::bit_cast<std::uint32_t>(narrow));
    return true;
}

bool append_timestamp(std::string& to, Timestamp value) {
    if (value == Timestamp::past() || value == Timestamp::future()) {
        append_big_endian(to, value.micros);
        return true;
    }
    if (value.micros < Timestamp::past().micros + micros_to_2000) return false;
    append_big_endian(to, value.micros - micros_to_2000);
    return true;
}

bool append_date(std::string& to, Date value) {
    return append_integer<std::int32_t>(to, std::int64_t{value.days} - days_to_2000);
}

// Whether the value has the binary form of this type, which is then appended.
bool append_binary(std::string& to, const Value& value, Type type) {
    const Value::Held& held = value.held();
    const auto* integer = std::get_if<std::int64_t>(&held);
    switch (type) {
        case Type::boolean:
            if (!std::holds_alternative<bool>(held)) return false;
            to += std::get<bool>(held) ? '\1' : '\0';
            return true;
        case Type::int2:
            return integer != nullptr && append_integer<std::int16_t>(to, *integer);
        case Type::int4:
            return integer != nullptr && append_integer<std::int32_t>(to, *integer);
        case Type::int8:
            return integer != nullptr && append_integer<std::int64_t>(to, *integer);
        case Type::float4:
            return append_float(to, value, false);
        case Type::float8:
            return append_float(to, value, true);
        case Type::bytes:
            if (!std::holds_alternative<Blob>(held)) return false;
            to.append(text_of(ConstBytes(std::get<Blob>(held))));
            return true;
        case Type::timestamp:
            return std::holds_alternative<Timestamp>(held) &&
                   append_timestamp(to, std::get<Timestamp>(held));
        case Type::date:
            return std::holds_alternative<Date>(held) && append_date(to, std::get<Date>(held));
        case Type::uuid:
            if (!std::holds_alternative<Uuid>(held)) return false;
            to.append(text_of(ConstBytes(std::get<Uuid>(held).bytes)));
            return true;
        default:
            return false;
    }
}

// Whether the type takes the text of the value. An integer is no text: the statement would mean
// another thing than the program.
bool takes_text(const Value& value, Type type) {
    const Value::Held& held = value.held();
    switch (type) {
        case Type::text:
            return std::holds_alternative<std::string>(held);
        case Type::numeric:
            return std::holds_alternative<Numeric>(held) ||
                   std::holds_alternative<std::int64_t>(held);
        case Type::json:
            return std::holds_alternative<Json>(held) || std::holds_alternative<std::string>(held);
        case Type::array:
            return std::holds_alternative<Array>(held);
        default:
            return type == Type::other;
    }
}

}  // namespace

void classify(ColumnInfo& column) noexcept {
    for (const TypeRow& row : types) {
        if (row.oid == column.oid) column.type = row.type;
        if (row.array_oid != 0 && row.array_oid == column.oid) {
            column.type = Type::array;
            column.element = row.type;
        }
    }
}

Format format_of(Type type) noexcept {
    switch (type) {
        case Type::boolean:
        case Type::int2:
        case Type::int4:
        case Type::int8:
        case Type::float4:
        case Type::float8:
        case Type::bytes:
        case Type::timestamp:
        case Type::date:
        case Type::uuid:
            return Format::binary;
        default:
            return Format::text;
    }
}

Format append_parameter(std::string& to, const Value& value, Oid oid, std::size_t number) {
    ColumnInfo info{.name = {}, .oid = oid};
    classify(info);
    if (append_binary(to, value, info.type)) return Format::binary;
    if (!takes_text(value, info.type)) {
        throw DbError(DbError::Kind::mismatch, "parameter $" + std::to_string(number) + " is " +
                                                   value.kind_name() + " and does not fit " +
                                                   name_of(info.type));
    }
    const std::string text = value.to_text();
    if (text.contains('\0')) {
        throw DbError(DbError::Kind::mismatch,
                      "parameter $" + std::to_string(number) +
                          " has a zero byte, which text has nowhere in PostgreSQL");
    }
    to += text;
    return Format::text;
}

}  // namespace gyre::db::postgres
