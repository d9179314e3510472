// SPDX-License-Identifier: Apache-2.0
#include "gyre/base/log.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace gyre {
namespace {

using Lines = std::vector<std::pair<LogLevel, std::string>>;

// A sink is a plain function, so its lines are kept in a static; one test at a time.
Lines& seen() {
    static Lines lines;
    return lines;
}
void note(LogLevel level, std::string_view line) {
    seen().emplace_back(level, line);
}

// Sets a sink and a level for one test, and restores the previous ones afterwards.
struct Log : ::testing::Test {
    const LogLevel level_before = log_level();
    void SetUp() override {
        seen().clear();
        set_log_sink(note);
    }
    void TearDown() override {
        set_log_sink(nullptr);
        set_log_level(level_before);
    }
};

TEST_F(Log, levels_have_the_names_of_the_environment_variable) {
    for (const char* name : {"off", "error", "warn", "info", "debug", "trace"}) {
        EXPECT_STREQ(name_of(log_level_of(name)), name);
    }
    EXPECT_EQ(log_level_of("off"), LogLevel::off);
    EXPECT_EQ(log_level_of("trace"), LogLevel::trace);
}

TEST_F(Log, an_unknown_name_is_the_default_level) {
    EXPECT_EQ(log_level_of("loud"), LogLevel::warn);
    EXPECT_EQ(log_level_of(""), LogLevel::warn);
    EXPECT_EQ(log_level_of("DEBUG"), LogLevel::warn);
}

TEST_F(Log, the_sink_gets_the_lines_whose_level_is_on_and_no_others) {
    set_log_level(LogLevel::info);
    log(LogLevel::error, "disk %d is %s", 3, "gone");
    log(LogLevel::info, "fine");
    log(LogLevel::debug, "detail");
    EXPECT_EQ(seen(), (Lines{{LogLevel::error, "disk 3 is gone"}, {LogLevel::info, "fine"}}));
}

TEST_F(Log, off_is_silent_and_no_line_is_of_level_off) {
    set_log_level(LogLevel::off);
    log(LogLevel::error, "nobody hears");
    set_log_level(LogLevel::trace);
    log(LogLevel::off, "this is no level for a line");
    EXPECT_TRUE(seen().empty());
}

TEST_F(Log, a_line_that_is_too_long_is_cut) {
    set_log_level(LogLevel::warn);
    const std::string endless(100'000, 'x');
    log(LogLevel::warn, "begin %s", endless.c_str());
    ASSERT_EQ(seen().size(), 1u);
    const std::string& line = seen()[0].second;
    EXPECT_EQ(line.substr(0, 8), "begin xx");
    EXPECT_GT(line.size(), 500u);
    EXPECT_LT(line.size(), 2'000u);
    EXPECT_EQ(line.find('\0'), std::string::npos);
}

// Runs in a separate process, since the environment is read once.
void expect_with_environment(const char* value, const char* expected) {
    EXPECT_EXIT(
        {
            if (value == nullptr) {
                ::unsetenv("GYRE_LOG");
            } else {
                ::setenv("GYRE_LOG", value, 1);
            }
            for (const LogLevel level : {LogLevel::error, LogLevel::warn, LogLevel::info,
                                         LogLevel::debug, LogLevel::trace}) {
                log(level, "heard");
            }
            std::exit(0);
        },
        ::testing::ExitedWithCode(0), expected);
}

TEST(LogDeathTest, the_environment_sets_the_level) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    expect_with_environment("debug",
                            "^gyre: error: heard\ngyre: warn: heard\ngyre: info: heard\n"
                            "gyre: debug: heard\n$");
    expect_with_environment("error", "^gyre: error: heard\n$");
    expect_with_environment("off", "^$");
    expect_with_environment(nullptr, "^gyre: error: heard\ngyre: warn: heard\n$");
}

}  // namespace
}  // namespace gyre
