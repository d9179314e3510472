// SPDX-License-Identifier: Apache-2.0
// Random values of every type against what psql prints, and texts that try to leave their place. With
// GYRE_TEST_LONG=1: 10,000 values of each type.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "gyre/base/random.hpp"
#include "gyre/db/pool.hpp"
#include "gyre/net/net_world.test.hpp"
#include "tests/db/scratch_server.hpp"

namespace gyre::db {
namespace {

using test::ScratchServer;

class PostgresValues : public net::NetWorld {
protected:
    void SetUp() override {
        GYRE_NEEDS_POSTGRES();
        NetWorld::SetUp();
    }
    template <class F>
    void with_pool(F body) {
        run([&]() -> Future<void> {
            Pool pool(ScratchServer::instance().url());
            co_await body(pool);
        });
    }
};
// Values do not depend on the platform.
INSTANTIATE_TEST_SUITE_P(, PostgresValues, testing::Values("epoll"));

int value_count() {
    return std::getenv("GYRE_TEST_LONG") == nullptr ? 200 : 10'000;
}

// The lines that psql prints for a query.
std::vector<std::string> printed_by_psql(const std::string& sql) {
    const std::string command = "PGTZ=UTC psql -h " + ScratchServer::instance().folder() +
                                " -U postgres -d postgres -At -R '\x1e' -c '" + sql + "'";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    std::string text;
    std::array<char, 65536> buffer{};
    while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
        text.append(buffer.data(), size);
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\x1e'), text.size());
        lines.push_back(text.substr(0, end));
        text.erase(0, end + 1);
    }
    if (!lines.empty() && lines.back().ends_with('\n')) lines.back().pop_back();
    return lines;
}

std::int64_t any_number(Random& random) {
    return static_cast<std::int64_t>(random.next() >> random.below(64));
}

std::string any_digits(Random& random, std::size_t least, std::size_t most) {
    std::string digits;
    const std::size_t size = least + random.below(most - least + 1);
    for (std::size_t i = 0; i < size; ++i)
        digits += static_cast<char>('0' + (i == 0 ? 1 + random.below(9) : random.below(10)));
    return digits;
}

std::string any_text(Random& random) {
    static const std::vector<std::string> parts = {"a", "Z",  "'",    "\"", "\\", ",",
                                                   "{", "}",  "NULL", "\n", " ",  "☃",
                                                   "é", "$1", ";",    "--", "\t", "𝄞"};
    std::string text;
    for (std::uint64_t i = random.below(12); i > 0; --i) text += parts[random.below(parts.size())];
    return text;
}

double any_double(Random& random) {
    for (;;) {
        const double value = random.one_in(2)
                                 ? std::bit_cast<double>(random.next())
                                 : static_cast<double>(any_number(random)) /
                                       std::pow(10, static_cast<double>(random.below(20)));
        if (std::isfinite(value)) return value;
    }
}

float any_float(Random& random) {
    for (;;) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
        if (std::isfinite(value)) return value;
    }
}

Blob any_blob(Random& random) {
    Blob blob(random.below(40));
    for (std::byte& each : blob) each = static_cast<std::byte>(random.below(256));
    return blob;
}

Uuid any_uuid(Random& random) {
    Uuid uuid;
    for (std::byte& each : uuid.bytes) each = static_cast<std::byte>(random.below(256));
    return uuid;
}

double number_of(const std::string& text, bool is_float) {
    return is_float ? static_cast<double>(std::strtof(text.c_str(), nullptr))
                    : std::strtod(text.c_str(), nullptr);
}

struct TypeCase {
    const char* type;
    Value (*make)(Random& random);
};
const std::vector<TypeCase>& type_cases() {
    static const std::vector<TypeCase> cases = {
        {"boolean", [](Random& r) { return Value(r.one_in(2)); }},
        {"smallint", [](Random& r) { return Value(static_cast<std::int16_t>(r.next())); }},
        {"integer", [](Random& r) { return Value(static_cast<std::int32_t>(r.next())); }},
        {"bigint", [](Random& r) { return Value(any_number(r)); }},
        {"float8", [](Random& r) { return Value(any_double(r)); }},
        {"float4", [](Random& r) { return Value(any_float(r)); }},
        {"numeric",
         [](Random& r) {
             return Value(Numeric((r.one_in(2) ? "-" : "") + any_digits(r, 1, 30) + "." +
                                  any_digits(r, 1, 20)));
         }},
        {"text", [](Random& r) { return Value(any_text(r)); }},
        {"bytea", [](Random& r) { return Value(any_blob(r)); }},
        {"uuid", [](Random& r) { return Value(any_uuid(r)); }},
        {"json", [](Random& r) { return Value(Json("[" + any_digits(r, 1, 9) + ", null]")); }},
        {"date",
         [](Random& r) {
             return Value(Date{static_cast<std::int32_t>(r.below(3652058)) - 719162});
         }},
        {"timestamptz",
         [](Random& r) {
             const auto span = std::uint64_t{3652058} * 86'400'000'000U;
             return Value(
                 Timestamp{static_cast<std::int64_t>(r.below(span)) - 62'135'596'800'000'000});
         }},
        {"text[]",
         [](Random& r) { return Value(std::vector<std::string>{any_text(r), any_text(r)}); }}};
    return cases;
}

TEST_P(PostgresValues, are_printed_by_psql_as_they_were_sent_and_are_read_back) {
    if (std::system("command -v psql >/dev/null") != 0)
        GTEST_SKIP() << "skipped: psql is not installed (package postgresql-client)";
    Random random(26);
    for (const TypeCase& each : type_cases()) {
        const std::string type = each.type;
        std::vector<Values> rows;
        for (int i = 0; i < value_count(); ++i) {
            rows.push_back(Values());
            rows.back().emplace_back(i);
            rows.back().push_back(each.make(random));
        }
        const std::vector<Values> sent = rows;
        std::vector<std::string> read;
        with_pool([&](Pool& pool) -> Future<void> {
            co_await pool.script(
                "drop table if exists any_values; create table any_values (id int, v " + type +
                ")");
            co_await pool.batch("insert into any_values values ($1, $2)", std::move(rows));
            const Rows back = co_await pool.query("select v from any_values order by id");
            for (const Row row : back) read.push_back(row.cell(0).to_text());
        });
        const auto printed = printed_by_psql("select v from any_values order by id");
        ASSERT_EQ(printed.size(), sent.size()) << type;
        ASSERT_EQ(read.size(), sent.size()) << type;
        for (std::size_t i = 0; i < sent.size(); ++i) {
            if (type.starts_with("float")) {
                // Where two texts are equally short PostgreSQL may choose the other one.
                const bool is_float = type == "float4";
                ASSERT_EQ(number_of(read[i], is_float), number_of(printed[i], is_float));
                ASSERT_EQ(read[i].contains('e'), printed[i].contains('e')) << printed[i];
                continue;
            }
            ASSERT_EQ(read[i], printed[i]) << type;
            if (type != "text[]") ASSERT_EQ(sent[i][1].to_text(), printed[i]) << type;
        }
    }
}

std::vector<std::string> attempts() {
    return {"'; drop table victims; --",
            "\\'; drop table victims; --",
            "' or '1'='1",
            "$1",
            "$$; drop table victims; $$",
            "\"; drop table victims; --",
            "*/ drop table victims; /*",
            "E'\\''",
            "\xC2\xA0'",
            "%' or name like '%",
            "{\"}",
            "NULL"};
}

// Every place where a value stands: compared, inserted, set, returned, in a limit, in a list, in a pattern, as an array.
TEST_P(PostgresValues, never_leave_their_place) {
    with_pool([](Pool& pool) -> Future<void> {
        co_await pool.script(
            "drop table if exists victims; create table victims (id int, name text)");
        int id = 0;
        for (const std::string& text : attempts()) {
            co_await pool.execute("insert into victims values ($1, $2)", ++id, text);
            EXPECT_EQ(co_await pool.one<std::string>("select name from victims where id = $1", id),
                      text);
            EXPECT_EQ(co_await pool.one<int>("select id from victims where name = $1", text), id);
            EXPECT_EQ(co_await pool.execute("update victims set name = $1 where name = $1", text),
                      1U);
            EXPECT_EQ(co_await pool.one<std::string>("select $1::text", text), text);
            EXPECT_EQ(co_await pool.one<std::int64_t>(
                          "select count(*) from victims where name in ($1, 'none')", text),
                      1);
            const std::vector<std::string> list(2, text);
            EXPECT_EQ(co_await pool.one<std::int64_t>(
                          "select count(*) from victims where name = any ($1::text[])", list),
                      1);
            EXPECT_EQ(co_await pool.one<std::string>("select ($1::text[])[2]", list), text);
            EXPECT_EQ(
                co_await pool.one<std::string>("select coalesce(null, $1::text) limit $2", text, 1),
                text);
        }
        // Where no value can stand, nothing is put.
        DbError::Kind kind = DbError::Kind::failed;
        try {
            static_cast<void>(co_await pool.query("select * from $1", "victims"));
        } catch (const DbError& e) {
            kind = e.kind();
        }
        EXPECT_EQ(kind, DbError::Kind::statement);
        EXPECT_EQ(co_await pool.one<std::int64_t>("select count(*) from victims"), id);
    });
}

}  // namespace
}  // namespace gyre::db
