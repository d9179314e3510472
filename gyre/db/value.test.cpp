// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/value.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "gyre/db/error.hpp"
#include "gyre/db/internal/big_endian.hpp"
#include "gyre/db/internal/postgres/types.hpp"
#include "gyre/db/row.hpp"

namespace gyre::db {
namespace {

struct Person {
    std::int64_t id;
    std::string name;
    std::optional<double> height;
};

// The value as PostgreSQL would give it back: the format that a parameter is sent in is the one that a
// column is read in.
template <class T>
T there_and_back(const T& value, std::uint32_t oid) {
    std::string bytes;
    const Value sent(value);
    auto columns = std::make_shared<Columns>(1);
    columns->front().oid = oid;
    postgres::classify(columns->front());
    const auto format = postgres::append_parameter(bytes, sent, oid, 1);
    EXPECT_EQ(format, postgres::format_of(columns->front().type));
    Rows rows(columns);
    rows.add_cell(columns->front().type, bytes_of(bytes));
    rows.end_row();
    return rows[0].get<T>(0);
}

template <class T>
void expect_round_trips(std::uint32_t oid, const std::vector<T>& values) {
    for (const T& value : values) EXPECT_EQ(there_and_back(value, oid), value);
}

TEST(DbValues, come_back_with_their_edges) {
    expect_round_trips<std::int16_t>(21, {0, -1, -32768, 32767});
    expect_round_trips<std::int32_t>(23, {0, std::numeric_limits<std::int32_t>::min(), 2147483647});
    expect_round_trips<std::int64_t>(
        20, {std::numeric_limits<std::int64_t>::min(), 9223372036854775807});
    expect_round_trips<bool>(16, {true, false});
    expect_round_trips<double>(701,
                               {0.0, -0.0, 1e308, 5e-324, std::numeric_limits<double>::infinity()});
    expect_round_trips<float>(700, {0.1F, 3.4e38F, -1e-45F});
    expect_round_trips<std::string>(25, {"", "a'b;--", "naïve ☃"});
    expect_round_trips<Blob>(17, {{}, {std::byte{0}, std::byte{255}}});
    expect_round_trips<Numeric>(
        1700, {Numeric("0"), Numeric("-123456789012345678901234567890.5"), Numeric("NaN")});
    expect_round_trips<Timestamp>(
        1184, {{0}, {-1}, {946684800000000}, Timestamp::past(), Timestamp::future()});
    expect_round_trips<Date>(1082, {{0}, {10957}, {-719162}});
    expect_round_trips<Json>(3802, {Json("{\"a\": [1, null]}")});
    expect_round_trips<Uuid>(2950, {*Uuid::parse("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")});
    expect_round_trips<std::vector<std::int32_t>>(1007, {{}, {1, -2, 3}});
    expect_round_trips<std::vector<std::string>>(1009, {{"", "NULL", "a,b", "\"\\{}"}});
    expect_round_trips<std::vector<std::optional<bool>>>(1000, {{true, std::nullopt, false}});
    expect_round_trips<std::vector<double>>(1022, {{0.1, -1e300}});
    expect_round_trips<std::vector<Timestamp>>(1185, {{{1700000000123456}, Timestamp::future()}});
    expect_round_trips<std::vector<Uuid>>(2951,
                                          {{*Uuid::parse("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")}});
    expect_round_trips<std::vector<Numeric>>(1231, {{Numeric("1.50"), Numeric("-7")}});
}

TEST(DbValues, of_random_texts_and_numbers_come_back) {
    rc::check("arrays of texts", [](const std::vector<std::string>& texts) {
        std::vector<std::string> without_zero = texts;
        for (std::string& text : without_zero) std::erase(text, '\0');
        RC_ASSERT(there_and_back(without_zero, 1009) == without_zero);
    });
    rc::check("integers",
              [](std::int64_t value) { RC_ASSERT(there_and_back(value, 20) == value); });
    rc::check("timestamps in text", [] {
        const auto micros = *rc::gen::inRange<std::int64_t>(-62135596800000000, 253402300800000000);
        RC_ASSERT(Timestamp::parse(Timestamp{micros}.to_string()) == Timestamp{micros});
    });
    rc::check("dates in text", [] {
        const Date date{*rc::gen::inRange<std::int32_t>(-719162, 2932896)};
        RC_ASSERT(Date::parse(date.to_string()) == date);
    });
}

TEST(DbValues, have_the_texts_that_postgresql_writes) {
    EXPECT_EQ(Timestamp{0}.to_string(), "1970-01-01 00:00:00+00");
    EXPECT_EQ(Timestamp{-500000}.to_string(), "1969-12-31 23:59:59.5+00");
    EXPECT_EQ(Date{-719163}.to_string(), "0001-12-31 BC");
    EXPECT_EQ(Date{20411}.to_string(), "2025-11-19");
    EXPECT_EQ(Timestamp::parse("2025-11-19T10:00:00+02:30"),
              Timestamp::parse("2025-11-19 07:30:00Z"));
    EXPECT_EQ(Timestamp::parse("2025-02-29"), std::nullopt);
    EXPECT_EQ(Timestamp::parse("2025-11-19 25:00"), std::nullopt);
    // The last ones that 64 bits of microseconds hold.
    EXPECT_NE(Timestamp::parse("294247-01-10 04:00:54"), std::nullopt);
    EXPECT_EQ(Timestamp::parse("294247-01-10 04:00:55"), std::nullopt);
    EXPECT_EQ(Timestamp::parse("294247-01-11"), std::nullopt);
    EXPECT_EQ(Date::parse("2025-11-19 "), std::nullopt);
    EXPECT_EQ(Uuid::parse("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1"), std::nullopt);
    EXPECT_EQ(Value(std::numeric_limits<std::uint64_t>::max()).to_text(), "18446744073709551615");
}

Rows one_row(const std::vector<std::pair<ColumnInfo, std::optional<std::string>>>& cells) {
    auto columns = std::make_shared<Columns>();
    for (const auto& [column, cell] : cells) columns->push_back(column);
    Rows rows(columns);
    for (const auto& [column, cell] : cells) {
        if (cell) {
            rows.add_cell(column.type, bytes_of(*cell));
        } else {
            rows.add_null();
        }
    }
    rows.end_row();
    return rows;
}

std::string refusal(const auto& read) {
    try {
        static_cast<void>(read());
    } catch (const DbError& e) {
        return e.message();
    }
    return "read";
}

TEST(DbRows, are_read_as_structs_tuples_and_single_values) {
    const Rows rows = one_row({{{"id", Type::int2}, std::string("\0\7", 2)},
                               {{"name", Type::text}, "Ada"},
                               {{"height", Type::float8}, std::nullopt}});
    const Person person = rows.as<Person>().front();
    EXPECT_EQ(person.id, 7);
    EXPECT_EQ(person.name, "Ada");
    EXPECT_EQ(person.height, std::nullopt);
    const auto tuple = rows[0].as<std::tuple<int, std::string, std::optional<double>>>();
    EXPECT_EQ(std::get<1>(tuple), "Ada");
    EXPECT_EQ(one_row({{{"n", Type::text}, "x"}})[0].as<std::string>(), "x");
}

TEST(DbRows, that_do_not_fit_name_the_column_and_both_types) {
    const Rows rows = one_row({{{"id", Type::int4}, std::string("\0\1\0\0", 4)},
                               {{"name", Type::text}, "Ada"},
                               {{"height", Type::float8}, std::nullopt}});
    EXPECT_EQ(refusal([&] { return rows[0].get<std::int16_t>("id"); }),
              "column 'id' is integer and does not fit an integer of 16 bits");
    EXPECT_EQ(refusal([&] { return rows[0].get<bool>("name"); }),
              "column 'name' is text and does not fit bool");
    EXPECT_EQ(refusal([&] { return rows[0].get<double>("height"); }),
              "column 'height' is null and does not fit a float");
    EXPECT_EQ(refusal([&] { return rows[0].get<int>("nothing"); }), "there is no column 'nothing'");
    EXPECT_EQ(refusal([&] { return rows[0].get<int>(3); }), "there is no column 3 of 3");
    EXPECT_EQ(refusal([&] { return rows.as<std::pair<int, int>>(); }),
              "a row has 3 columns (id, name, height), and is read as 2");
}

TEST(DbRows, of_malformed_arrays_are_refused) {
    for (const char* text :
         {"", "{", "{1", "{1,}", "{,}", "{1}}", "{{1}}", "{\"1}", "{1}x", "{\"1\"2}", "{a}"}) {
        const Rows rows = one_row({{{"a", Type::array, Type::int4}, text}});
        EXPECT_NE(refusal([&] { return rows[0].get<std::vector<int>>(0); }), "read") << text;
    }
}

TEST(DbRows, have_arrays_of_six_dimensions_and_no_more) {
    std::vector<ArrayItem> items;
    EXPECT_TRUE(split_array("{{{{{{1}}}}}}", items));
    EXPECT_TRUE(items.at(0).is_array && items[0].text == "{{{{{1}}}}}");
    EXPECT_FALSE(split_array("{{{{{{{1}}}}}}}", items));
    for (const char* text : {"{{1}", "{{1}}}", "{{1}2}", "{{\"}}", "[0:1]", "[x]={1}", "{{\\"}) {
        EXPECT_FALSE(split_array(text, items)) << text;
    }
}

// A struct of as many members as a row may have.
struct Wide {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w;
    std::string x;
};

TEST(DbRows, are_read_as_structs_of_twenty_four_members) {
    static_assert(member_count<Wide>() == 24);
    static_assert(std::is_same_v<MemberOf<22, Wide>, int>);
    static_assert(std::is_same_v<MemberOf<23, Wide>, std::string>);
    std::vector<std::pair<ColumnInfo, std::optional<std::string>>> cells;
    for (int i = 0; i < 23; ++i) {
        std::string number;
        append_big_endian(number, std::int32_t{i});
        cells.push_back({{"n", Type::int4}, number});
    }
    cells.push_back({{"x", Type::text}, "last"});
    const Rows rows = one_row(cells);
    const Wide wide = rows[0].as<Wide>();
    EXPECT_EQ(wide.a, 0);
    EXPECT_EQ(wide.w, 22);
    EXPECT_EQ(wide.x, "last");
}

}  // namespace
}  // namespace gyre::db
