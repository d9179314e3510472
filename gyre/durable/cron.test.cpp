// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/cron.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "gyre/durable/error.hpp"

namespace gyre::durable {
namespace {

std::string next(const char* text, const char* from, const char* zone = "UTC") {
    return Cron::parse(text, zone).next_after(db::Timestamp::parse(from).value()).to_string();
}

TEST(Cron, names_the_next_minute_of_its_fields) {
    EXPECT_EQ(next("* * * * *", "2026-11-19 15:22:59.9"), "2026-11-19 15:23:00+00");
    EXPECT_EQ(next("* * * * *", "2026-11-19 15:22:00"), "2026-11-19 15:23:00+00");
    EXPECT_EQ(next("*/15 * * * *", "2026-11-19 15:45:00"), "2026-11-19 16:00:00+00");
    EXPECT_EQ(next("5/20 * * * *", "2026-11-19 15:26:00"), "2026-11-19 15:45:00+00");
    EXPECT_EQ(next("30 3 * * *", "2026-11-19 03:30:00"), "2026-11-20 03:30:00+00");
    EXPECT_EQ(next("0 8-18/2 * * *", "2026-11-19 18:00:01"), "2026-11-20 08:00:00+00");
    EXPECT_EQ(next("0 0 1,15 * *", "2026-11-19 00:00:00"), "2026-12-01 00:00:00+00");
    EXPECT_EQ(next("0 0 31 * *", "2026-11-19 00:00:00"), "2026-12-31 00:00:00+00");
    EXPECT_EQ(next("0 9 * * mon-fri", "2026-11-20 09:00:00"), "2026-11-23 09:00:00+00");
    EXPECT_EQ(next("59 23 31 DEC *", "2026-12-31 23:59:00"), "2027-12-31 23:59:00+00");
}

TEST(Cron, takes_sunday_by_both_numbers) {
    for (const char* text : {"0 0 * * 0", "0 0 * * 7", "0 0 * * sun", "0 0 * * 5-7", "@weekly"}) {
        EXPECT_EQ(next(text, "2026-11-21 12:00:00"), "2026-11-22 00:00:00+00") << text;
    }
}

TEST(Cron, takes_either_day_if_both_are_given) {
    EXPECT_EQ(next("0 0 13 * fri", "2026-11-14 00:00:00"), "2026-11-20 00:00:00+00");
    EXPECT_EQ(next("0 0 13 * fri", "2026-12-12 00:00:00"), "2026-12-13 00:00:00+00");
    EXPECT_EQ(next("0 0 13 * *", "2026-11-14 00:00:00"), "2026-12-13 00:00:00+00");
}

TEST(Cron, waits_for_a_leap_day_over_a_century_without_one) {
    EXPECT_EQ(next("0 0 29 2 *", "2026-11-19 00:00:00"), "2028-02-29 00:00:00+00");
    EXPECT_EQ(next("0 0 29 2 *", "2096-02-29 00:00:00"), "2104-02-29 00:00:00+00");
}

TEST(Cron, counts_in_its_zone) {
    EXPECT_EQ(next("0 3 * * *", "2026-11-19 00:00:00", "+05:30"), "2026-11-19 21:30:00+00");
    EXPECT_EQ(next("0 3 * * *", "2026-11-19 00:00:00", "-03:00"), "2026-11-19 06:00:00+00");
    EXPECT_EQ(next("0 0 1 * *", "2026-11-30 09:00:00", "+14:00"), "2026-11-30 10:00:00+00");
}

TEST(Cron, stays_within_the_years_of_the_calendar) {
    const Cron yearly = Cron::parse("@yearly");
    EXPECT_EQ(yearly.next_after(db::Timestamp::past()).to_string(), "1970-01-01 00:00:00+00");
    EXPECT_EQ(yearly.next_after(db::Timestamp::parse("9999-06-01 00:00:00").value()),
              db::Timestamp::future());
    EXPECT_EQ(yearly.next_after(db::Timestamp::future()), db::Timestamp::future());
    EXPECT_FALSE(yearly.matches(db::Timestamp::future()));
}

TEST(Cron, that_names_no_time_is_refused_with_its_fault) {
    const std::vector<std::pair<std::string, std::string>> faults = {
        {"", "it has 0 fields"},
        {"* * * *", "it has 4 fields"},
        {"* * * * * *", "it has 6 fields"},
        {"60 * * * *", "'60' is no minute, which goes from 0 to 59"},
        {"* 24 * * *", "'24' is no hour"},
        {"* * 0 * *", "'0' is no day of the month"},
        {"* * * foo *", "'foo' is no month"},
        {"* * * * 8", "'8' is no day of the week"},
        {"30-10 * * * *", "'30-10' is no minute"},
        {"1-2-3 * * * *", "'1-2-3' is no minute"},
        {"1/2/3 * * * *", "'1/2/3' is no minute"},
        {", * * * *", "'' is no minute"},
        {"*/0 * * * *", "the step '0' is no number above 0"},
        {"*/100 * * * *", "the step '100' is no number above 0"},
        {"0 0 30 2 *", "that date never comes"},
        {"@never", "it has 1 fields"},
        {std::string(300, ' '), "text_bytes_max is 256"}};
    for (const auto& [text, why] : faults) {
        try {
            static_cast<void>(Cron::parse(text));
            ADD_FAILURE() << text << " was taken";
        } catch (const DurableError& e) {
            EXPECT_EQ(e.kind(), DurableError::Kind::bad_schedule);
            EXPECT_NE(std::string(e.what()).find(why), std::string::npos)
                << text << ": " << e.what();
        }
    }
    for (const char* zone : {"", "CET", "+1:00", "+14:01", "+00:60", "05:30", "+05-30"}) {
        EXPECT_THROW(static_cast<void>(Cron::parse("* * * * *", zone)), DurableError) << zone;
    }
}

}  // namespace
}  // namespace gyre::durable
