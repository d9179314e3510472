// SPDX-License-Identifier: Apache-2.0
// Rows: the result of a statement, complete in memory. Row: a view of one. A column is read as a C++
// type that it fits, or a DbError names the column and both types.
//
//     struct Person { std::int64_t id; std::string name; std::optional<db::Date> born; };
//     const db::Rows rows = co_await database.query("select id, name, born from people");
//     for (const db::Row row : rows) std::puts(row.get<std::string>("name").c_str());
//     std::vector<Person> people = rows.as<Person>();  // by position, one column a member
//
// Thread: one thread at a time.
// Lifetime: Rows owns its bytes; a Row, and text read as std::string_view, live as long as it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/db/detail/cell.hpp"
#include "gyre/db/detail/members.hpp"

namespace gyre::db {

class Rows;

class Row {
public:
    Row(const Rows& rows, std::size_t index) noexcept : rows_(&rows), index_(index) {}

    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] Cell cell(std::size_t column) const;
    [[nodiscard]] bool is_null(std::size_t column) const { return cell(column).is_null(); }
    template <class T>
    [[nodiscard]] T get(std::size_t column) const;
    template <class T>
    [[nodiscard]] T get(std::string_view column) const {
        return get<T>(index_of(column));
    }
    // A struct by its members, a tuple by its elements, or the only column.
    template <class T>
    [[nodiscard]] T as() const;

private:
    [[nodiscard]] std::size_t index_of(std::string_view column) const;
    void expect_columns(std::size_t count) const;
    [[noreturn]] void refuse(std::size_t column, const char* cpp_type) const;
    template <class T, std::size_t... columns>
    [[nodiscard]] T filled(std::index_sequence<columns...> /*unused*/) const;

    const Rows* rows_;
    std::size_t index_;
};

class Rows {
public:
    Rows() = default;
    explicit Rows(std::shared_ptr<const Columns> columns) noexcept : columns_(std::move(columns)) {}

    [[nodiscard]] std::size_t size() const noexcept { return row_count_; }
    [[nodiscard]] bool empty() const noexcept { return row_count_ == 0; }
    [[nodiscard]] Row operator[](std::size_t index) const;
    // Rows that the statement changed, or returned.
    [[nodiscard]] std::uint64_t affected() const noexcept { return affected_; }
    [[nodiscard]] std::size_t column_count() const noexcept {
        return columns_ ? columns_->size() : 0;
    }
    [[nodiscard]] const ColumnInfo& column(std::size_t index) const;

    template <class T>
    [[nodiscard]] std::vector<T> as() const {
        std::vector<T> all;
        all.reserve(row_count_);
        for (const Row row : *this) all.push_back(row.as<T>());
        return all;
    }

    class Iterator {
    public:
        Iterator(const Rows& rows, std::size_t index) noexcept : rows_(&rows), index_(index) {}
        Row operator*() const noexcept { return {*rows_, index_}; }
        Iterator& operator++() noexcept {
            ++index_;
            return *this;
        }
        friend bool operator==(const Iterator&, const Iterator&) noexcept = default;

    private:
        const Rows* rows_;
        std::size_t index_;
    };
    [[nodiscard]] Iterator begin() const noexcept { return {*this, 0}; }
    [[nodiscard]] Iterator end() const noexcept { return {*this, row_count_}; }

    // For the back ends: a row is added cell by cell, then counted.
    void add_cell(Type type, ConstBytes bytes);
    void add_null();
    void end_row() noexcept { ++row_count_; }
    void set_affected(std::uint64_t count) noexcept { affected_ = count; }
    [[nodiscard]] std::size_t held_bytes() const noexcept {
        return bytes_.size() + places_.size() * sizeof(Place);
    }
    [[nodiscard]] const std::shared_ptr<const Columns>& columns() const noexcept {
        return columns_;
    }

private:
    friend class Row;
    struct Place {
        std::size_t offset;
        std::uint32_t size;
        Type type;
        bool is_null;
    };

    std::shared_ptr<const Columns> columns_;
    std::vector<std::byte> bytes_;
    std::vector<Place> places_;
    std::size_t row_count_ = 0;
    std::uint64_t affected_ = 0;
};

template <class T>
T Row::get(std::size_t column) const {
    T value{};
    if (!read_cell(cell(column), value)) refuse(column, cpp_type_name<T>());
    return value;
}

template <class T, std::size_t... columns>
T Row::filled(std::index_sequence<columns...> /*unused*/) const {
    expect_columns(sizeof...(columns));
    return T{get<MemberOf<columns, T>>(columns)...};
}

template <class T>
T Row::as() const {
    if constexpr (ReadableCell<T>) {
        expect_columns(1);
        return get<T>(0);
    } else {
        return filled<T>(std::make_index_sequence<member_count<T>()>());
    }
}

}  // namespace gyre::db
