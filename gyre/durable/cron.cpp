// SPDX-License-Identifier: Apache-2.0
#include "gyre/durable/cron.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/durable/error.hpp"

namespace gyre::durable {

namespace {

struct Field {
    const char* name;
    unsigned first;
    unsigned last;
    std::string_view names;  // three letters each, of the numbers from `named_from` on
    unsigned named_from;
};

constexpr std::array<Field, 5> cron_fields = {
    {{"minute", 0, 59, "", 0},
     {"hour", 0, 23, "", 0},
     {"day of the month", 1, 31, "", 0},
     {"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec", 1},
     {"day of the week", 0, 7, "sunmontuewedthufrisat", 0}}};

enum Place : std::size_t { minute, hour, day_of_month, month_of_year, day_of_week };

constexpr std::int64_t micros_per_minute = 60'000'000;
constexpr std::int64_t minutes_per_day = 24 * 60;
// 29 February comes after eight years at most: 2096 and 2104.
constexpr int days_tried_max = 8 * 366;
// Of the year 10000.
constexpr std::int64_t minutes_end = std::int64_t{2'932'897} * minutes_per_day;

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw DurableError(DurableError::Kind::bad_schedule,
                       "'" + std::string(text) + "' is no schedule: " + why);
}

std::int64_t divide_down(std::int64_t number, std::int64_t by) noexcept {
    return number / by - (number % by < 0 ? 1 : 0);
}

std::vector<std::string_view> split(std::string_view text, std::string_view at) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find_first_of(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

// Of one or two digits.
std::optional<unsigned> number_of(std::string_view text) noexcept {
    if (text.empty() || text.size() > 2) return std::nullopt;
    unsigned number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = number * 10 + static_cast<unsigned>(c - '0');
    }
    return number;
}

std::string_view without_macro(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> macros = {
        {{"@hourly", "0 * * * *"},
         {"@daily", "0 0 * * *"},
         {"@midnight", "0 0 * * *"},
         {"@weekly", "0 0 * * 0"},
         {"@monthly", "0 0 1 * *"},
         {"@yearly", "0 0 1 1 *"}}};
    const auto* const found =
        std::ranges::find(macros, text, [](const auto& macro) { return macro.first; });
    return found == macros.end() ? text : found->second;
}

std::string lower(std::string_view text) {
    std::string copy(text);
    for (char& c : copy) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return copy;
}

// Reads one field of a schedule.
class FieldReader {
public:
    FieldReader(std::string_view whole, const Field& field) : whole_(whole), field_(field) {}

    [[nodiscard]] std::bitset<64> read(std::string_view text) const {
        std::bitset<64> named;
        for (const std::string_view item : split(text, ",")) add(item, named);
        return named;
    }

private:
    void add(std::string_view item, std::bitset<64>& named) const {
        const std::vector<std::string_view> parts = split(item, "/");
        if (parts.size() > 2) fail(item);
        unsigned step = 1;
        if (parts.size() == 2) {
            const auto given = number_of(parts[1]);
            if (!given || *given == 0) {
                refuse(whole_, "the step '" + std::string(parts[1]) + "' is no number above 0");
            }
            step = *given;
        }
        unsigned from = field_.first;
        unsigned to = field_.last;
        if (parts[0] != "*") {
            const std::vector<std::string_view> ends = split(parts[0], "-");
            if (ends.size() > 2) fail(item);
            from = end_of(ends[0]);
            if (ends.size() == 2) to = end_of(ends[1]);
            // `5/20` counts from 5 on.
            if (ends.size() == 1 && parts.size() == 1) to = from;
            if (to < from) fail(item);
        }
        for (unsigned number = from; number <= to; number += step) named.set(number);
    }

    [[nodiscard]] unsigned end_of(std::string_view text) const {
        constexpr std::size_t letters = 3;
        if (text.size() == letters) {
            for (std::size_t at = 0; at < field_.names.size(); at += letters) {
                if (field_.names.substr(at, letters) != text) continue;
                return field_.named_from + static_cast<unsigned>(at / letters);
            }
        }
        const auto number = number_of(text);
        if (!number || *number < field_.first || *number > field_.last) fail(text);
        return *number;
    }

    [[noreturn]] void fail(std::string_view text) const {
        refuse(whole_, "'" + std::string(text) + "' is no " + field_.name + ", which goes from " +
                           std::to_string(field_.first) + " to " + std::to_string(field_.last));
    }

    const std::string_view whole_;
    const Field& field_;
};

// "UTC", "+05:30", "-03:00".
std::int64_t minutes_of_zone(std::string_view zone) {
    constexpr unsigned hours_max = 14;
    if (zone == "UTC" || zone == "Z") return 0;
    const bool has_form = zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':';
    const auto hours = has_form ? number_of(zone.substr(1, 2)) : std::nullopt;
    const auto minutes = has_form ? number_of(zone.substr(4, 2)) : std::nullopt;
    if (!hours || !minutes || *minutes > 59 || *hours * 60 + *minutes > hours_max * 60) {
        throw DurableError(DurableError::Kind::bad_schedule,
                           "'" + std::string(zone) +
                               "' is no zone of a schedule: UTC, or up to 14 hours from it, as "
                               "'+05:30'");
    }
    const std::int64_t distance = *hours * 60 + *minutes;
    return zone[0] == '-' ? -distance : distance;
}

}  // namespace

Cron Cron::parse(std::string_view text, std::string_view zone) {
    if (text.size() > text_bytes_max) {
        throw DurableError(DurableError::Kind::bad_schedule,
                           "a schedule of " + std::to_string(text.size()) +
                               " bytes: text_bytes_max is " + std::to_string(text_bytes_max));
    }
    Cron cron;
    cron.offset_minutes_ = minutes_of_zone(zone);
    const std::string plain(without_macro(lower(text)));
    std::vector<std::string_view> words = split(plain, " \t");
    std::erase(words, "");
    if (words.size() != field_count) {
        refuse(text, "it has " + std::to_string(words.size()) +
                         " fields and not five: minute, hour, day, month, day of the week");
    }
    for (std::size_t at = 0; at < field_count; ++at) {
        cron.named_[at] = FieldReader(text, cron_fields[at]).read(words[at]);
    }
    std::bitset<64>& weekdays = cron.named_[day_of_week];
    if (weekdays.test(7)) weekdays.set(0);  // Sunday has two numbers.
    cron.either_day_ = words[day_of_month][0] != '*' && words[day_of_week][0] != '*';
    if (cron.next_after({0}) == db::Timestamp::future()) refuse(text, "that date never comes");
    return cron;
}

bool Cron::is_day(std::int64_t day) const noexcept {
    const std::chrono::sys_days date{std::chrono::days(day)};
    const std::chrono::year_month_day parts(date);
    if (!named_[month_of_year].test(static_cast<unsigned>(parts.month()))) return false;
    const bool is_date = named_[day_of_month].test(static_cast<unsigned>(parts.day()));
    const bool is_weekday = named_[day_of_week].test(std::chrono::weekday(date).c_encoding());
    return either_day_ ? is_date || is_weekday : is_date && is_weekday;
}

bool Cron::matches(db::Timestamp time) const noexcept {
    const std::int64_t local = divide_down(time.micros, micros_per_minute) + offset_minutes_;
    if (local < 0 || local >= minutes_end) return false;
    const auto in_day = static_cast<std::size_t>(local % minutes_per_day);
    return named_[minute].test(in_day % 60) && named_[hour].test(in_day / 60) &&
           is_day(local / minutes_per_day);
}

db::Timestamp Cron::next_after(db::Timestamp time) const noexcept {
    const std::int64_t local = std::max<std::int64_t>(
        divide_down(time.micros, micros_per_minute) + offset_minutes_ + 1, 0);
    if (local >= minutes_end) return db::Timestamp::future();
    std::int64_t day = local / minutes_per_day;
    auto in_day = static_cast<std::size_t>(local % minutes_per_day);
    for (int tried = 0; tried <= days_tried_max; ++tried, ++day, in_day = 0) {
        if (!is_day(day)) continue;
        for (; in_day < minutes_per_day; ++in_day) {
            if (!named_[hour].test(in_day / 60)) {
                in_day += 59 - in_day % 60;
                continue;
            }
            if (!named_[minute].test(in_day % 60)) continue;
            const std::int64_t found = day * minutes_per_day + static_cast<std::int64_t>(in_day);
            if (found >= minutes_end) return db::Timestamp::future();
            return {(found - offset_minutes_) * micros_per_minute};
        }
    }
    return db::Timestamp::future();
}

}  // namespace gyre::durable
