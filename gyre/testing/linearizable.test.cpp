// SPDX-License-Identifier: Apache-2.0
#include "gyre/testing/linearizable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "gyre/base/random.hpp"

namespace gyre::testing {
namespace {

using Kind = MapHistory::Kind;
using Outcome = MapHistory::Outcome;

struct Row {
    Kind kind;
    const char* value;
    std::uint64_t begin;
    std::uint64_t end;  // 0: no answer
    const char* result = "";
};

MapHistory history_of(const std::vector<Row>& rows, const char* key = "x") {
    MapHistory history;
    for (const Row& row : rows) {
        const std::size_t number = history.begin("c", row.kind, key, row.value, Instant(row.begin));
        if (row.end > 0) history.end(number, row.result, Instant(row.end));
    }
    return history;
}

TEST(Linearizable, a_read_sees_the_last_write_that_ended) {
    EXPECT_EQ(history_of({{Kind::put, "1", 1, 2}, {Kind::get, "", 3, 4, "1"}}).check().outcome,
              Outcome::linearizable);
    EXPECT_EQ(history_of({{Kind::put, "1", 1, 2}, {Kind::get, "", 3, 4, ""}}).check().outcome,
              Outcome::not_linearizable);
}

TEST(Linearizable, concurrent_operations_may_take_effect_in_any_order) {
    for (const char* seen : {"", "1"}) {
        EXPECT_EQ(history_of({{Kind::put, "1", 1, 4}, {Kind::get, "", 2, 3, seen}}).check().outcome,
                  Outcome::linearizable);
    }
    // But in one order for all: a value that was seen is not unseen.
    EXPECT_EQ(
        history_of({{Kind::put, "1", 1, 9}, {Kind::get, "", 2, 3, "1"}, {Kind::get, "", 4, 5, ""}})
            .check()
            .outcome,
        Outcome::not_linearizable);
}

TEST(Linearizable, what_was_not_answered_may_happen_late_or_never_but_once) {
    EXPECT_EQ(history_of({{Kind::append, "1", 1, 0}, {Kind::get, "", 5, 6, ""}}).check().outcome,
              Outcome::linearizable);
    EXPECT_EQ(history_of({{Kind::append, "1", 1, 0}, {Kind::get, "", 5, 6, "1"}}).check().outcome,
              Outcome::linearizable);
    EXPECT_EQ(history_of({{Kind::append, "1", 1, 0}, {Kind::get, "", 5, 6, "11"}}).check().outcome,
              Outcome::not_linearizable);
    EXPECT_EQ(history_of({{Kind::append, "1", 5, 0}, {Kind::get, "", 1, 2, "1"}}).check().outcome,
              Outcome::not_linearizable);
}

TEST(Linearizable, keys_are_checked_by_themselves_and_the_wrong_one_is_named) {
    MapHistory history = history_of({{Kind::put, "1", 1, 2}, {Kind::get, "", 3, 4, "1"}}, "good");
    history.end(history.begin("c", Kind::get, "bad", "", Instant(5)), "ghost", Instant(6));
    const MapHistory::Verdict verdict = history.check();
    EXPECT_EQ(verdict.outcome, Outcome::not_linearizable);
    EXPECT_EQ(verdict.key, "bad");
    ASSERT_EQ(verdict.text.size(), 1u);
    EXPECT_NE(verdict.text[0].find("get bad"), std::string::npos);
}

TEST(Linearizable, the_bound_is_said_and_not_guessed_over) {
    MapHistory history;
    for (int i = 0; i < 12; ++i) {
        history.end(history.begin("c", Kind::append, "x",
                                  std::string(1, static_cast<char>('a' + i)), Instant(1)),
                    "", Instant(100));
    }
    history.end(history.begin("c", Kind::get, "x", "", Instant(200)), "none", Instant(201));
    EXPECT_EQ(history.check(1000).outcome, Outcome::not_decided);
}

// The answer of trying every order.
bool has_an_order(const std::vector<MapHistory::Operation>& operations) {
    std::vector<std::size_t> order(operations.size());
    std::iota(order.begin(), order.end(), 0u);
    do {
        // Unanswered ones at the end may be left out: every prefix that has all answered ones counts.
        std::string value;
        bool is_good = true;
        std::size_t answered = 0;
        const auto total = static_cast<std::size_t>(std::ranges::count_if(
            operations, [](const auto& o) { return o.end != Instant::never(); }));
        for (std::size_t i = 0; i < order.size() && is_good && answered < total; ++i) {
            const auto& next = operations[order[i]];
            for (std::size_t j = i + 1; j < order.size(); ++j) {
                is_good = is_good && operations[order[j]].end >= next.begin;
            }
            const bool is_answered = next.end != Instant::never();
            answered += is_answered ? 1 : 0;
            if (next.kind == Kind::get) is_good = is_good && (!is_answered || next.result == value);
            if (next.kind == Kind::put) value = next.value;
            if (next.kind == Kind::append) value += next.value;
        }
        if (is_good) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
}

TEST(Linearizable, agrees_with_trying_every_order) {
    Random random(5);
    int linearizable = 0;
    for (int round = 0; round < 2000; ++round) {
        MapHistory history;
        const std::size_t count = 1 + random.below(6);
        for (std::size_t i = 0; i < count; ++i) {
            const Instant begin(1 + random.below(8));
            const auto kind = static_cast<Kind>(random.below(3));
            const std::string value(1, static_cast<char>('a' + random.below(2)));
            const std::size_t number = history.begin("c", kind, "x", value, begin);
            if (random.one_in(5)) continue;
            const std::string results[] = {"", "a", "b", "ab"};
            history.end(number, kind == Kind::get ? results[random.below(4)] : "",
                        begin + Duration(static_cast<Duration::rep>(1 + random.below(4))));
        }
        const bool expected = has_an_order(history.operations());
        EXPECT_EQ(history.check().outcome == Outcome::linearizable, expected) << "round " << round;
        linearizable += expected ? 1 : 0;
    }
    EXPECT_GT(linearizable, 200);
    EXPECT_LT(linearizable, 1800);
}

}  // namespace
}  // namespace gyre::testing
