// SPDX-License-Identifier: Apache-2.0
#include "lang/script/db/internal/database_texts.hpp"

#include <array>
#include <charconv>
#include <cstddef>

namespace gyre::script {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

template <class T>
std::optional<db::Value> number_of(std::string_view text) {
    T value{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return db::Value(value);
}

std::optional<db::Value> blob_of(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    db::Blob blob;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const std::size_t high = digits.find(text[i]);
        const std::size_t low = digits.find(text[i + 1]);
        if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
        blob.push_back(static_cast<std::byte>(high * 16 + low));
    }
    return db::Value(std::move(blob));
}

std::optional<db::Value> value_of(char letter, std::string_view text) {
    switch (letter) {
        case 'n':
            return db::Value();
        case 'b':
            return db::Value(text == "true");
        case 'i':
            return number_of<std::int64_t>(text);
        case 'r':
            return number_of<double>(text);
        case 't':
            return db::Value(text);
        case 'd': {
            const std::optional<db::Timestamp> time = db::Timestamp::parse(text);
            if (!time) return std::nullopt;
            return db::Value(*time);
        }
        case 'j':
            return db::Value(db::Json(std::string(text)));
        case 'x':
            return blob_of(text);
        default:
            return std::nullopt;
    }
}

void add_quoted(std::string& json, char letter, std::string_view text) {
    json += '"';
    if (letter != '\0') json += letter;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (byte < 0x20) {
            json += "\\u00";
            json += digits[byte / 16];
            json += digits[byte % 16];
        } else {
            json += c;
        }
    }
    json += '"';
}

char letter_of(db::Type type) {
    using enum db::Type;
    switch (type) {
        case boolean:
            return 'b';
        case int2:
        case int4:
        case int8:
        case any_integer:
            return 'i';
        case float4:
        case float8:
            return 'r';
        case json:
            return 'j';
        case bytes:
            return 'x';
        default:
            return 't';
    }
}

std::string plain_text(const db::Cell& cell) {
    if (cell.type() == db::Type::boolean) {
        bool truth = false;
        static_cast<void>(db::read_cell(cell, truth));
        return truth ? "true" : "false";
    }
    if (cell.type() == db::Type::bytes) {
        std::string text;
        for (const std::byte byte : cell.bytes()) {
            text += digits[static_cast<std::size_t>(byte) / 16];
            text += digits[static_cast<std::size_t>(byte) % 16];
        }
        return text;
    }
    return cell.to_text();
}

std::string_view name_of(db::DbError::Kind kind) {
    constexpr std::array<std::string_view, 14> names = {
        "unreachable", "refused",   "busy",      "lost",     "read_only", "constraint", "conflict",
        "cancelled",   "timed_out", "statement", "mismatch", "protocol",  "limit",      "failed"};
    return names.at(static_cast<std::size_t>(kind));
}

}  // namespace

std::optional<db::Values> values_of(std::string_view text) {
    db::Values values;
    while (!text.empty()) {
        const std::size_t end = text.find('\0');
        if (end == std::string_view::npos || end == 0) return std::nullopt;
        std::optional<db::Value> value = value_of(text[0], text.substr(1, end - 1));
        if (!value) return std::nullopt;
        values.push_back(std::move(*value));
        text.remove_prefix(end + 1);
    }
    return values;
}

std::string json_of(const db::Rows& rows) {
    std::string json = "{\"columns\":[";
    for (std::size_t i = 0; i < rows.column_count(); ++i) {
        if (i > 0) json += ',';
        add_quoted(json, '\0', rows.column(i).name);
    }
    json += "],\"rows\":[";
    bool is_first = true;
    for (const db::Row row : rows) {
        json += is_first ? "[" : ",[";
        is_first = false;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) json += ',';
            const db::Cell cell = row.cell(i);
            if (cell.is_null()) {
                json += "null";
            } else {
                add_quoted(json, letter_of(cell.type()), plain_text(cell));
            }
        }
        json += ']';
    }
    return json + "]}";
}

std::string text_of(const db::DbError& error) {
    std::string text(name_of(error.kind()));
    for (const std::string& part :
         {error.sqlstate(), std::string(error.is_retry_safe() ? "1" : ""),
          std::to_string(error.position()), error.constraint(), std::string(error.what())}) {
        text += '\0';
        text += part;
    }
    return text;
}

}  // namespace gyre::script
