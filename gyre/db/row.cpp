// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/row.hpp"

#include <limits>

#include "gyre/base/assert.hpp"
#include "gyre/db/error.hpp"

namespace gyre::db {

namespace {

std::string described(const ColumnInfo& column, Type type) {
    std::string text = name_of(type);
    if (type == Type::array) text += std::string(" of ") + name_of(column.element);
    if (type == Type::other) text += " " + std::to_string(column.oid);
    return text;
}

}  // namespace

std::size_t Row::size() const noexcept {
    return rows_->column_count();
}

Cell Row::cell(std::size_t column) const {
    GYRE_ASSERT(index_ < rows_->row_count_, "there is no row %zu of %zu", index_,
                rows_->row_count_);
    if (column >= size()) {
        throw DbError(DbError::Kind::mismatch, "there is no column " + std::to_string(column) +
                                                   " of " + std::to_string(size()));
    }
    const Rows::Place& place = rows_->places_[index_ * size() + column];
    if (place.is_null) return {};
    return {place.type, rows_->column(column).element,
            ConstBytes(rows_->bytes_).subspan(place.offset, place.size)};
}

std::size_t Row::index_of(std::string_view column) const {
    for (std::size_t i = 0; i < size(); ++i) {
        if (rows_->column(i).name == column) return i;
    }
    throw DbError(DbError::Kind::mismatch, "there is no column '" + std::string(column) + "'");
}

void Row::expect_columns(std::size_t count) const {
    if (size() == count) return;
    std::string names;
    for (std::size_t i = 0; i < size(); ++i) names += (i == 0 ? "" : ", ") + rows_->column(i).name;
    throw DbError(DbError::Kind::mismatch, "a row has " + std::to_string(size()) + " columns (" +
                                               names + "), and is read as " +
                                               std::to_string(count));
}

void Row::refuse(std::size_t column, const char* cpp_type) const {
    const ColumnInfo& info = rows_->column(column);
    const Cell of = cell(column);
    const std::string is = of.is_null() ? "null" : described(info, of.type());
    throw DbError(DbError::Kind::mismatch,
                  "column '" + info.name + "' is " + is + " and does not fit " + cpp_type);
}

Row Rows::operator[](std::size_t index) const {
    GYRE_ASSERT(index < row_count_, "there is no row %zu of %zu", index, row_count_);
    return {*this, index};
}

const ColumnInfo& Rows::column(std::size_t index) const {
    GYRE_ASSERT(index < column_count(), "there is no column %zu of %zu", index, column_count());
    return (*columns_)[index];
}

void Rows::add_cell(Type type, ConstBytes bytes) {
    GYRE_ASSERT(bytes.size() <= std::numeric_limits<std::uint32_t>::max(), "a cell of %zu bytes",
                bytes.size());
    places_.push_back({.offset = bytes_.size(),
                       .size = static_cast<std::uint32_t>(bytes.size()),
                       .type = type,
                       .is_null = false});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void Rows::add_null() {
    places_.push_back({.offset = bytes_.size(), .size = 0, .type = Type::other, .is_null = true});
}

}  // namespace gyre::db
