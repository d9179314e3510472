// SPDX-License-Identifier: Apache-2.0
// SqlRows: writes the rows of one statement to standard output as they come: a table, CSV or JSON. One
// thread; lives as long as its statement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/db/row.hpp"

namespace gyre::cli {

enum class SqlFormat : std::uint8_t { table, csv, json };

class SqlRows {
public:
    explicit SqlRows(SqlFormat format) noexcept : format_(format) {}

    // The first piece has the columns, and sets the widths of a table. Throws if standard output takes no more.
    void write(const db::Rows& piece);
    // Behind the last piece.
    void end();

private:
    void begin(const db::Rows& first);
    void append_csv(db::Row row);
    void append_json(db::Row row);
    void append_line(const std::vector<std::string>& cells);
    [[nodiscard]] std::vector<std::string> shown(db::Row row) const;
    void flush();

    const SqlFormat format_;
    bool has_begun_ = false;
    std::vector<std::string> names_;
    std::vector<std::size_t> widths_;
    std::vector<bool> is_number_;
    std::uint64_t row_count_ = 0;
    std::uint64_t affected_ = 0;
    std::string text_;
};

// A text without characters that would move the cursor, and how many columns of a terminal it takes.
[[nodiscard]] std::string printable(std::string_view text);
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace gyre::cli
