// SPDX-License-Identifier: Apache-2.0
#include "cli/sql_rows.hpp"

#include <wchar.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <clocale>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "cli/output.hpp"

namespace gyre::cli {
namespace {

using db::Type;

// The character at the front of the text and its size in bytes; 0 bytes for what is no UTF-8.
struct Character {
    char32_t value = 0;
    std::size_t size = 0;
};
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return {byte(0), 1};
    const std::size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC2 ? 2 : 0;
    if (size == 0 || byte(0) > 0xF4 || text.size() < size) return {};
    char32_t value = byte(0) & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) return {};
        value = value << 6U | (byte(i) & 0x3FU);
    }
    constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = value >= 0xD800 && value < 0xE000;
    if (value < least[size] || value > 0x10FFFF || is_surrogate) return {};
    return {value, size};
}

// Each byte that is no UTF-8 becomes U+FFFD.
template <class F>
void for_each_character(std::string_view text, F use) {
    while (!text.empty()) {
        const Character first = first_character(text);
        use(first.size == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, first.size),
            first.size == 0 ? char32_t{0xFFFD} : first.value);
        text.remove_prefix(std::max<std::size_t>(first.size, 1));
    }
}

void append_hex(std::string& to, const char* before, char32_t value, int digits) {
    std::array<char, 16> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%s%0*x", before, digits,
                  static_cast<unsigned>(value));
    to += buffer.data();
}

void append_json_text(std::string& to, std::string_view text) {
    to += '"';
    for_each_character(text, [&](std::string_view bytes, char32_t value) {
        if (value == '"' || value == '\\') {
            (to += '\\') += static_cast<char>(value);
        } else if (value == '\n') {
            to += "\\n";
        } else if (value < 0x20) {
            append_hex(to, "\\u", value, 4);
        } else {
            to += bytes;
        }
    });
    to += '"';
}

// "1.5", "-7", "1e+20"; not "NaN" and "Infinity".
bool is_json_number(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    const auto is_part = [](char c) {
        return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e';
    };
    return parsed.ptr == end && std::ranges::all_of(text, is_part);
}

bool is_number(Type type) {
    switch (type) {
        case Type::int2:
        case Type::int4:
        case Type::int8:
        case Type::any_integer:
        case Type::float4:
        case Type::float8:
        case Type::numeric:
            return true;
        default:
            return false;
    }
}

void append_json_value(std::string& to, Type type, Type element, const std::string& text) {
    if (type == Type::boolean) {
        to += text == "true" || text == "t" ? "true" : "false";
    } else if (is_number(type) && is_json_number(text)) {
        to += text;
    } else if (type == Type::json) {
        to += text;
    } else if (std::vector<db::ArrayItem> items;
               type == Type::array && db::split_array(text, items)) {
        to += '[';
        for (const db::ArrayItem& item : items) {
            if (&item != items.data()) to += ", ";
            if (item.is_null) {
                to += "null";
            } else {
                append_json_value(to, item.is_array ? Type::array : element, element, item.text);
            }
        }
        to += ']';
    } else {
        append_json_text(to, text);
    }
}

std::string csv_field(std::string_view text) {
    if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    return quoted += '"';
}

}  // namespace

std::string printable(std::string_view text) {
    std::string shown;
    for_each_character(text, [&](std::string_view bytes, char32_t value) {
        if (value == '\n') {
            shown += "\\n";
        } else if (value == '\t') {
            shown += "\\t";
        } else if (value < 0x20 || (value >= 0x7F && value < 0xA0)) {
            append_hex(shown, "\\x", value, 2);
        } else {
            shown += bytes;
        }
    });
    return shown;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for_each_character(text, [&](std::string_view /*bytes*/, char32_t value) {
        const int columns = value < 0x80 ? 1 : wcwidth(static_cast<wchar_t>(value));
        width += static_cast<std::size_t>(std::max(columns, 0));
    });
    return width;
}

void SqlRows::flush() {
    if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size())
        throw std::runtime_error(output_failure());
    text_.clear();
}

std::vector<std::string> SqlRows::shown(db::Row row) const {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
        cells.push_back(row.is_null(i) ? "NULL" : printable(row.cell(i).to_text()));
    }
    return cells;
}

// Numbers to the right, all else to the left, and no spaces at the end.
void SqlRows::append_line(const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) text_ += " | ";
        const std::size_t width = display_width(cells[i]);
        const std::size_t missing = widths_[i] > width ? widths_[i] - width : 0;
        if (is_number_[i]) text_.append(missing, ' ');
        text_ += cells[i];
        if (!is_number_[i] && i + 1 < cells.size()) text_.append(missing, ' ');
    }
    text_ += '\n';
}

void SqlRows::begin(const db::Rows& first) {
    has_begun_ = true;
    // wcwidth knows characters beyond ASCII in a locale of UTF-8 only.
    std::setlocale(LC_CTYPE, "C.UTF-8");
    for (std::size_t i = 0; i < first.column_count(); ++i) {
        names_.push_back(format_ == SqlFormat::table ? printable(first.column(i).name)
                                                     : first.column(i).name);
        const Type type = first.empty() ? first.column(i).type : first[0].cell(i).type();
        is_number_.push_back(is_number(type));
        widths_.push_back(display_width(names_.back()));
    }
    if (names_.empty()) return;
    if (format_ == SqlFormat::csv) {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            text_ += (i > 0 ? "," : "") + csv_field(names_[i]);
        }
        text_ += '\n';
    } else if (format_ == SqlFormat::json) {
        text_ += '[';
    } else {
        for (const db::Row row : first) {
            const std::vector<std::string> cells = shown(row);
            for (std::size_t i = 0; i < cells.size(); ++i)
                widths_[i] = std::max(widths_[i], display_width(cells[i]));
        }
        append_line(names_);
        for (std::size_t i = 0; i < widths_.size(); ++i) {
            text_ += (i > 0 ? "-+-" : "") + std::string(widths_[i], '-');
        }
        text_ += '\n';
    }
}

void SqlRows::append_csv(db::Row row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) text_ += ',';
        if (!row.is_null(i)) text_ += csv_field(row.cell(i).to_text());
    }
    text_ += '\n';
}

void SqlRows::append_json(db::Row row) {
    text_ += row_count_ == 0 ? "\n  {" : ",\n  {";
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) text_ += ", ";
        append_json_text(text_, names_[i]);
        text_ += ": ";
        const db::Cell cell = row.cell(i);
        if (cell.is_null()) {
            text_ += "null";
        } else {
            append_json_value(text_, cell.type(), cell.element(), cell.to_text());
        }
    }
    text_ += '}';
}

void SqlRows::write(const db::Rows& piece) {
    if (!has_begun_) begin(piece);
    affected_ = piece.affected();
    for (const db::Row row : piece) {
        if (format_ == SqlFormat::table) {
            append_line(shown(row));
        } else if (format_ == SqlFormat::csv) {
            append_csv(row);
        } else {
            append_json(row);
        }
        ++row_count_;
    }
    flush();
}

void SqlRows::end() {
    const auto counted = [](std::uint64_t count, const char* what) {
        return std::to_string(count) + (count == 1 ? " row" : " rows") + what;
    };
    if (!names_.empty() && format_ == SqlFormat::json) text_ += row_count_ > 0 ? "\n]\n" : "]\n";
    if (format_ == SqlFormat::table) {
        text_ +=
            names_.empty() ? counted(affected_, " changed\n") : "(" + counted(row_count_, ")\n");
    }
    flush();
}

}  // namespace gyre::cli
