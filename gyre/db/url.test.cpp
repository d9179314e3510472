// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/internal/url.hpp"

#include <gtest/gtest.h>

#include <string>

#include "gyre/db/error.hpp"

namespace gyre::db {
namespace {

std::string refusal_of(const std::string& text) {
    try {
        static_cast<void>(parse_url(text));
    } catch (const DbError& e) {
        return e.message();
    }
    return "taken";
}

TEST(DbUrl, of_postgresql_has_all_parts) {
    const Url url =
        parse_url("postgres://ad%40a:s%3Aecret@db.example.org:6000/my%20notes?sslmode=verify-full");
    EXPECT_EQ(url.user, "ad@a");
    EXPECT_EQ(url.password, "s:ecret");
    EXPECT_EQ(url.host, "db.example.org");
    EXPECT_EQ(url.port, 6000);
    EXPECT_EQ(url.name, "my notes");
    EXPECT_EQ(url.option("sslmode"), "verify-full");
}

TEST(DbUrl, of_postgresql_has_defaults) {
    const Url url = parse_url("postgresql://");
    EXPECT_EQ(url.user, "postgres");
    EXPECT_EQ(url.host, "localhost");
    EXPECT_EQ(url.port, 5432);
    EXPECT_EQ(url.name, "postgres");
    EXPECT_EQ(parse_url("postgres://ada@[::1]:7/x").host, "::1");
}

TEST(DbUrl, names_the_folder_of_a_unix_socket) {
    EXPECT_TRUE(parse_url("postgres:///x?host=/run/postgresql&port=6000").is_unix());
    EXPECT_EQ(parse_url("postgres://%2Frun%2Fpostgresql/x").host, "/run/postgresql");
    EXPECT_EQ(parse_url("postgres:///x?host=/run/postgresql&port=6000").port, 6000);
}

TEST(DbUrl, of_sqlite_is_a_path) {
    EXPECT_EQ(parse_url("sqlite:notes.db").name, "notes.db");
    EXPECT_EQ(parse_url("sqlite:///var/notes.db").name, "/var/notes.db");
    EXPECT_EQ(parse_url("sqlite::memory:").name, ":memory:");
}

TEST(DbUrl, never_shows_its_password) {
    const std::string url = "postgres://ada:secret@db:6000/notes";
    EXPECT_EQ(parse_url(url).shown(), "postgres://ada@db:6000/notes");
    EXPECT_EQ(parse_url("postgres://ada:secret@/notes?host=/run").shown(),
              "postgres://ada@/notes?host=/run");
    EXPECT_FALSE(refusal_of("postgres://ada:secret@db:99999/notes").contains("secret"));
}

TEST(DbUrl, that_cannot_be_used_says_why) {
    const std::string a = "the URL of a database ";
    EXPECT_EQ(refusal_of("mysql://x"), a + "begins neither with 'postgres://' nor with 'sqlite:'");
    EXPECT_EQ(refusal_of("sqlite:"), a + "has no path behind 'sqlite:'");
    EXPECT_EQ(refusal_of("postgres://h:0/x"), a + "has the port '0': 1 to 65535 is possible");
    EXPECT_EQ(refusal_of("postgres://h:65536/x"),
              a + "has the port '65536': 1 to 65535 is possible");
    EXPECT_EQ(refusal_of("postgres://a%zz@h"), a + "has a '%' without two hexadecimal digits");
    EXPECT_EQ(refusal_of("postgres://a%4"), a + "has a '%' without two hexadecimal digits");
    EXPECT_EQ(refusal_of("postgres://a%00@h"), a + "has a zero byte");
    EXPECT_EQ(refusal_of("postgres://[::1"), a + "has a '[' without a ']'");
    EXPECT_EQ(refusal_of("postgres://a,b/x"), a + "has several hosts: one is possible");
    EXPECT_EQ(refusal_of("postgres://h/x?password=1"), a + "has an unknown option: 'password'");
    EXPECT_EQ(refusal_of("postgres://h/x?sslmode"), a + "has an option without a value: 'sslmode'");
    EXPECT_EQ(refusal_of("postgres://h/x?sslmode=prefer"),
              a + "has the sslmode 'prefer': disable, require and verify-full are possible");
}

TEST(DbUrl, longer_than_its_limit_is_refused) {
    EXPECT_EQ(refusal_of("sqlite:" + std::string(4089, 'x')), "taken");
    EXPECT_EQ(refusal_of("sqlite:" + std::string(4090, 'x')),
              "the URL of a database is longer than url_bytes_max = 4096");
}

}  // namespace
}  // namespace gyre::db
