// SPDX-License-Identifier: Apache-2.0
// For tests of PostgreSQL: the messages of a server as bytes. One test, one thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/db/internal/big_endian.hpp"

namespace gyre::db::postgres {

inline std::string number16(int value) {
    std::string text;
    append_big_endian(text, static_cast<std::int16_t>(value));
    return text;
}
inline std::string number32(std::int64_t value) {
    std::string text;
    append_big_endian(text, static_cast<std::int32_t>(value));
    return text;
}
inline std::string message(char type, const std::string& body = {}) {
    return std::string(1, type) + number32(static_cast<std::int64_t>(body.size()) + 4) + body;
}
inline std::string zero_ended(std::string_view text) {
    return std::string(text) + '\0';
}

inline std::string ready(char status = 'I') {
    return message('Z', std::string(1, status));
}
inline std::string parameters(const std::vector<std::uint32_t>& oids) {
    std::string body = number16(static_cast<int>(oids.size()));
    for (const std::uint32_t oid : oids) body += number32(oid);
    return message('t', body);
}
inline std::string columns(const std::vector<std::pair<std::string, std::uint32_t>>& of) {
    std::string body = number16(static_cast<int>(of.size()));
    for (const auto& [name, oid] : of) {
        body += zero_ended(name) + number32(0) + number16(0) + number32(oid) + number16(-1);
        body += number32(-1) + number16(0);
    }
    return message('T', body);
}
inline std::string data_row(const std::vector<std::string>& cells) {
    std::string body = number16(static_cast<int>(cells.size()));
    for (const std::string& cell : cells) {
        body += number32(static_cast<std::int64_t>(cell.size())) + cell;
    }
    return message('D', body);
}
inline std::string complete(std::string_view tag) {
    return message('C', zero_ended(tag));
}
inline std::string server_error(std::string_view sqlstate, std::string_view text,
                                std::string_view severity = "ERROR") {
    return message('E', "S" + zero_ended(severity) + "V" + zero_ended(severity) + "C" +
                            zero_ended(sqlstate) + "M" + zero_ended(text) + '\0');
}
// The answers to a statement that is prepared, and to one that is run.
inline std::string prepared(const std::vector<std::uint32_t>& oids,
                            const std::vector<std::pair<std::string, std::uint32_t>>& of) {
    return message('1') + parameters(oids) + (of.empty() ? message('n') : columns(of)) + ready();
}
inline std::string answered(const std::vector<std::vector<std::string>>& rows,
                            std::string_view tag) {
    std::string text = message('2');
    for (const auto& row : rows) text += data_row(row);
    return text + complete(tag) + ready();
}

}  // namespace gyre::db::postgres
