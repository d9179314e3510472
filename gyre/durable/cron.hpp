// SPDX-License-Identifier: Apache-2.0
// Cron: the times of a schedule, as crontab(5) writes them: minute, hour, day of the month, month, day of the week.
//
//     const durable::Cron nightly = durable::Cron::parse("30 3 * * mon-fri", "+01:00");
//     const db::Timestamp next = nightly.next_after(store.now());
//
// Thread: a value.
// Lifetime: a value.
//
// A field is a list of `*`, numbers, ranges, and steps of these: `*/15`, `8-18/2`, `1,15`. Months and days of the week
// may be named by their first three letters; Sunday is 0 or 7. If both days are given, either will do. @hourly, @daily,
// @weekly, @monthly and @yearly stand for the first minute of each.
//
// A zone is UTC or a fixed distance from it, up to 14 hours. Zones with summer time are not known: their rules
// change, and differ between the machines of two workers.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gyre/db/value.hpp"

namespace gyre::durable {

class Cron {
public:
    static constexpr std::size_t text_bytes_max = 256;

    // Throws a DurableError (bad_schedule) that says what is wrong; also for a date that never comes.
    [[nodiscard]] static Cron parse(std::string_view text, std::string_view zone = "UTC");

    // The first minute after that time that the fields name. From 1970 to 9999; `future` beyond.
    [[nodiscard]] db::Timestamp next_after(db::Timestamp time) const noexcept;
    // Whether the fields name the minute that the time is in.
    [[nodiscard]] bool matches(db::Timestamp time) const noexcept;

private:
    static constexpr std::size_t field_count = 5;

    [[nodiscard]] bool is_day(std::int64_t day) const noexcept;

    // By the place of the field; a bit for each number.
    std::array<std::bitset<64>, field_count> named_{};
    bool either_day_ = false;
    std::int64_t offset_minutes_ = 0;
};

}  // namespace gyre::durable
