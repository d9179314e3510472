// SPDX-License-Identifier: Apache-2.0
// Scripts, event lists, verdicts and reports, with a table that needs no runtime.
#include "gyre/conform/internal/script.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "gyre/base/failure.hpp"
#include "gyre/conform/internal/player.hpp"
#include "gyre/conform/scenario.hpp"

namespace gyre::conform {
namespace {

using Lines = std::vector<std::string>;

TEST(Script, is_lines_of_an_event_and_its_actions) {
    const Script script("main: a 1; at 2 b x y\n  x y: until 3 c; times 4 d\nmain: e");
    ASSERT_EQ(script.find("main")->size(), 3u);
    EXPECT_EQ(script.find("main")->at(0).number(0), 1);
    EXPECT_EQ(script.find("main")->at(1).verb, "b");
    EXPECT_EQ(script.find("main")->at(1).words, (Lines{"x", "y"}));
    EXPECT_EQ(script.find("main")->at(1).first, 2u);
    EXPECT_EQ(script.find("main")->at(1).last, 2u);
    EXPECT_EQ(script.find("x y")->at(0).last, 2u);
    EXPECT_EQ(script.find("x y")->at(1).times, 4u);
    EXPECT_EQ(script.find("nothing"), nullptr);
    EXPECT_EQ(script.verbs(), (std::set<std::string>{"a", "b", "c", "d", "e"}));
}

TEST(Script, that_is_none_is_refused) {
    EXPECT_THROW(Script("main"), Failure);
    EXPECT_THROW(Script("other: a"), Failure);
    EXPECT_THROW(Script("main: at x a"), Failure);
    EXPECT_THROW(Script("main: times 0 a"), Failure);
    EXPECT_THROW(static_cast<void>(Script("main: a").find("main")->at(0).word(0)), Failure);
    EXPECT_THROW(static_cast<void>(Script("main: a 1x").find("main")->at(0).number(0)), Failure);
}

TEST(EventList, writes_what_repeats_or_counts_up_in_one_entry) {
    EventList trace;
    for (const char* event :
         {"m", "m", "m", "n", "x 1", "x 2", "x 3", "x 4", "x 4", "y 8", "y 9"}) {
        trace.add(event);
    }
    EXPECT_EQ(trace.entries(), (Lines{"m*3", "n", "x 1..4", "x 4", "y 8", "y 9"}));
}

TEST(EventList, differs_first_where_the_first_entry_does) {
    EXPECT_EQ(first_difference("a, b*2, c", {"a", "b*2", "c"}), "");
    EXPECT_EQ(first_difference("", {}), "");
    EXPECT_EQ(first_difference("a, b", {"a", "c", "b"}), "after 'a': expected 'b', got 'c'");
    EXPECT_EQ(first_difference("a, b", {"a"}), "after 'a': expected 'b', got the end");
    EXPECT_EQ(first_difference("", {"a"}), "at the start: expected the end, got 'a'");
}

// Has two verbs: `count X`, which causes the events X 1, X 2 and so on, and `fail`.
class CountingPlayer final : public Player, public Adapter {
public:
    using Player::Player;

private:
    [[nodiscard]] const Adapter& adapter() const override { return *this; }
    [[nodiscard]] std::string lacks(const std::string& verb) const override {
        return verb == "dance" ? "no legs" : "";
    }
    [[nodiscard]] bool has_verb(const std::string& verb) const override { return verb != "limp"; }
    void act(const Action& action) override {
        if (action.verb == "fail") throw std::runtime_error("on purpose");
        happened(action.word(0) + " " + std::to_string(++count_));
    }
    int count_ = 0;
};

constexpr Scenario scenarios[] = {
    {"K01 K02", "is right", "main: times 5 count x; say end\nx 2: say two",
     "x 1, x 2, two, x 3, x 4, x 5, end"},
    {"K03", "is \"wrong\"", "main: times 2 count x", "x 1, x 3"},
    {"K04", "needs a time", "main: count x", "x 1", Time::simulated},
    {"K05", "dances", "main: dance", ""},
    {"K06", "throws", "main: fail", ""},
    {"K08", "limps", "main: count x\nx 9: limp", "x 1"},
    {"K07", "goes on too long", "main: count x\nx 1: say a\na: say b\nb: until 9 say a", "x 1, a"},
};
constexpr Table table{"test", "a table", scenarios};

Results results() {
    return play_all(table, "here", [](const Scenario& scenario) {
        return std::make_unique<CountingPlayer>(scenario);
    });
}

TEST(Players, pass_fail_and_skip_with_what_there_is_to_say) {
    const Results all = results();
    ASSERT_EQ(all.size(), 7u);
    EXPECT_EQ(all[0].verdict, Verdict::pass) << all[0].detail;
    EXPECT_EQ(all[1].verdict, Verdict::fail);
    EXPECT_EQ(all[1].detail, "after 'x 1': expected 'x 3', got 'x 2'");
    EXPECT_EQ(all[2].verdict, Verdict::skipped);
    EXPECT_EQ(all[3].verdict, Verdict::skipped);
    EXPECT_EQ(all[3].detail, "no legs");
    EXPECT_EQ(all[4].verdict, Verdict::fail);
    EXPECT_EQ(all[4].detail, "thrown: on purpose");
    EXPECT_EQ(all[5].detail, "thrown: 'limp' is not a verb of this table");
    EXPECT_EQ(all[6].verdict, Verdict::fail);
    EXPECT_TRUE(has_failed(all));
    EXPECT_FALSE(has_failed(skip(table, "there", "no such machine")));
}

TEST(Report, is_a_table_of_80_columns_with_the_counts_at_its_end) {
    const std::string text = as_table(results());
    for (const std::string& line : split(text, '\n')) EXPECT_LE(line.size(), 80u) << line;
    EXPECT_NE(text.find("K01 K02     is right"), std::string::npos) << text;
    EXPECT_NE(text.find("after 'x 1': expected 'x 3', got 'x 2'"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("1 pass, 4 FAIL, 2 skipped\n")) << text;
}

TEST(Report, escapes_what_json_does_not_take) {
    const std::string json = as_json(results());
    EXPECT_NE(json.find(R"("scenario": "is \"wrong\"")"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("clauses": ["K01", "K02"])"), std::string::npos) << json;
    EXPECT_NE(json.find(R"({"pass": 1, "fail": 4, "skipped": 2,)"), std::string::npos) << json;
}

TEST(GyreTables, hold_in_simulated_time_and_are_the_same_byte_for_byte) {
    // clause: J14, V32
    const Results first = run_gyre("", {"sim"});
    EXPECT_FALSE(has_failed(first)) << as_table(first);
    EXPECT_EQ(count_of(first, Verdict::skipped), 0u);
    EXPECT_EQ(as_json(first), as_json(run_gyre("", {"sim"})));
}

TEST(GyreTables, hold_on_the_real_platforms) {
    // clause: V35
    const Results all = run_gyre("", {"epoll", "uring"});
    EXPECT_FALSE(has_failed(all)) << as_table(all);
    EXPECT_GT(count_of(all, Verdict::pass), 0u);
}

TEST(GyreTables, are_skipped_on_a_platform_that_is_not_there) {
    const Results all = run_gyre("loop", {"abacus"});
    EXPECT_EQ(count_of(all, Verdict::skipped), all.size());
    EXPECT_NE(all.front().detail.find("abacus"), std::string::npos);
}

TEST(GyreTables, have_names_of_their_own_that_fit_a_row) {
    std::set<std::string> names;
    for (const Result& result : run_gyre("", {"sim"})) {
        const std::string name = result.scenario->name;
        EXPECT_TRUE(names.insert(result.table->name + (": " + name)).second) << name;
        EXPECT_LT(name.size(), 52u) << name;
    }
}

}  // namespace
}  // namespace gyre::conform
