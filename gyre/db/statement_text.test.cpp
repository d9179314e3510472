// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/statement_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gyre::db {
namespace {

std::vector<std::string> statements_of(std::string_view text, bool is_postgres) {
    std::vector<std::string> all;
    while (const std::size_t end = statement_end(text, is_postgres)) {
        all.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    all.emplace_back(text);
    return all;
}

using Texts = std::vector<std::string>;

TEST(StatementText, ends_at_semicolons_outside_of_quotes_and_comments) {
    for (const bool is_postgres : {false, true}) {
        const std::string quoted = "select ';', 'it''s;', \"a;\"\"b\" -- no ;\n /* ; */ from t;";
        EXPECT_EQ(statements_of(quoted + "select 2; ", is_postgres),
                  (Texts{quoted, "select 2;", " "}));
        for (const char* open : {"select 1", "select ';", "select \";", "/* ;", "-- ;", ""}) {
            EXPECT_EQ(statement_end(open, is_postgres), 0U) << open;
        }
    }
}

TEST(StatementText, knows_what_only_one_of_the_databases_quotes) {
    EXPECT_EQ(statements_of("select [a;b], `c;d`;", false).front(), "select [a;b], `c;d`;");
    EXPECT_EQ(statements_of("select a[1;", true).front(), "select a[1;");
    const Texts dollars = {"do $$ begin; end $$;", "select $a$;$$;$a$, $1;",
                           "select E'\\';''\\';';", "/* /* ; */ ; */ select 1;"};
    for (const std::string& each : dollars) {
        EXPECT_EQ(statements_of(each + "x", true), (Texts{each, "x"}));
    }
    EXPECT_EQ(statement_end("/* /* */ select 1;", false), 18U);
    EXPECT_EQ(statement_end("/* /* */ select 1;", true), 0U);
    EXPECT_EQ(statement_end("select $$;", true), 0U);
}

TEST(StatementText, keeps_the_bodies_of_triggers_and_functions_whole) {
    const std::string trigger =
        "CREATE TEMP TRIGGER x after insert on t begin "
        "update t set n = case when n > 1 then 2 else 3 end; delete from u; END ;";
    EXPECT_EQ(statements_of(trigger + "select 1;", false), (Texts{trigger, "select 1;", ""}));
    EXPECT_EQ(statements_of("create trigger a execute function f();x", true).back(), "x");
    const std::string function =
        "create or replace function f() returns int begin atomic "
        "select case when true then 1 end; select 2; end;";
    EXPECT_EQ(statements_of(function + "select 3;", true), (Texts{function, "select 3;", ""}));
    EXPECT_EQ(statements_of("begin; select 1; end;", true).size(), 4U);
    EXPECT_EQ(statements_of("begin; select 1; end;", false).size(), 4U);
}

TEST(StatementText, that_is_blank_has_comments_only) {
    EXPECT_TRUE(is_blank_sql(" \n;; -- a\n/* b */", true));
    EXPECT_TRUE(is_blank_sql("", false));
    EXPECT_FALSE(is_blank_sql(" /* a", false));
    EXPECT_FALSE(is_blank_sql(" -- a\nx", true));
}

}  // namespace
}  // namespace gyre::db
