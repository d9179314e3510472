// SPDX-License-Identifier: Apache-2.0
// The dates of messages. Formats and parses without a locale or a time zone. Pure functions.
#include "gyre/http/message.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "gyre/http/internal/characters.hpp"

namespace gyre::http {
namespace {

constexpr std::array<std::string_view, 7> day_names = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> month_names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Parses a date from left to right; each member returns false if the text does not match.
class DateReader {
public:
    explicit DateReader(std::string_view text) noexcept : rest_(text) {}

    bool word(std::string_view wanted) noexcept {
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(wanted.size());
        return true;
    }
    // Exactly this many digits; if `padded`, the first may be a space.
    bool number(std::size_t digits, int& value, bool padded = false) noexcept {
        if (rest_.size() < digits) return false;
        value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (i == 0 && padded && rest_[0] == ' ') continue;
            if (!is_digit(rest_[i])) return false;
            value = value * 10 + (rest_[i] - '0');
        }
        rest_.remove_prefix(digits);
        return true;
    }
    bool month(int& value) noexcept {
        for (std::size_t i = 0; i < month_names.size(); ++i) {
            if (!word(month_names[i])) continue;
            value = static_cast<int>(i) + 1;
            return true;
        }
        return false;
    }
    bool day_name() noexcept {
        for (const std::string_view name : day_names) {
            if (word(name)) return true;
        }
        return false;
    }
    // The rest of a long name such as `Sunday`.
    void letters() noexcept {
        while (!rest_.empty() && is_letter(rest_.front())) rest_.remove_prefix(1);
    }
    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

private:
    std::string_view rest_;
};

struct Parts {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

bool read_time(DateReader& reader, Parts& parts) noexcept {
    return reader.number(2, parts.hour) && reader.word(":") && reader.number(2, parts.minute) &&
           reader.word(":") && reader.number(2, parts.second);
}

// Sun, 06 Nov 1994 08:49:37 GMT
bool read_fixed(DateReader reader, Parts& parts) noexcept {
    return reader.day_name() && reader.word(", ") && reader.number(2, parts.day) &&
           reader.word(" ") && reader.month(parts.month) && reader.word(" ") &&
           reader.number(4, parts.year) && reader.word(" ") && read_time(reader, parts) &&
           reader.word(" GMT") && reader.is_at_end();
}

// Sunday, 06-Nov-94 08:49:37 GMT
bool read_old(DateReader reader, Parts& parts) noexcept {
    if (!reader.day_name()) return false;
    reader.letters();
    const bool is_read = reader.word(", ") && reader.number(2, parts.day) && reader.word("-") &&
                         reader.month(parts.month) && reader.word("-") &&
                         reader.number(2, parts.year) && reader.word(" ") &&
                         read_time(reader, parts) && reader.word(" GMT") && reader.is_at_end();
    parts.year += parts.year < 70 ? 2000 : 1900;
    return is_read;
}

// Sun Nov  6 08:49:37 1994
bool read_asctime(DateReader reader, Parts& parts) noexcept {
    return reader.day_name() && reader.word(" ") && reader.month(parts.month) && reader.word(" ") &&
           reader.number(2, parts.day, true) && reader.word(" ") && read_time(reader, parts) &&
           reader.word(" ") && reader.number(4, parts.year) && reader.is_at_end();
}

}  // namespace

std::string date_text(UnixSeconds time) {
    using namespace std::chrono;
    // The range of a year with four digits.
    const sys_seconds at{seconds(std::clamp<UnixSeconds>(time, 0, 253402300799))};
    const sys_days day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss clock(at - day);
    std::array<char, 40> text{};
    const int size = std::snprintf(
        text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
        day_names[weekday(day).c_encoding()].data(), static_cast<unsigned>(date.day()),
        month_names[static_cast<unsigned>(date.month()) - 1].data(), static_cast<int>(date.year()),
        static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count()));
    return {text.data(), static_cast<std::size_t>(size)};
}

std::optional<UnixSeconds> parse_date(std::string_view text) noexcept {
    using namespace std::chrono;
    Parts parts;
    const DateReader reader(text);
    if (!read_fixed(reader, parts) && !read_old(reader, parts) && !read_asctime(reader, parts)) {
        return std::nullopt;
    }
    const year_month_day date{year(parts.year), month(static_cast<unsigned>(parts.month)),
                              day(static_cast<unsigned>(parts.day))};
    // A leap second counts as the next second.
    if (!date.ok() || parts.hour > 23 || parts.minute > 59 || parts.second > 60) {
        return std::nullopt;
    }
    const sys_seconds at =
        sys_days(date) + hours(parts.hour) + minutes(parts.minute) + seconds(parts.second);
    return at.time_since_epoch().count();
}

}  // namespace gyre::http
