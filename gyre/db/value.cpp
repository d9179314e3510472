// SPDX-License-Identifier: Apache-2.0
#include "gyre/db/value.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "gyre/db/internal/float_text.hpp"
#include "gyre/db/internal/hex.hpp"

namespace gyre::db {

namespace {

constexpr std::int64_t micros_per_second = 1'000'000;
constexpr std::int64_t micros_per_day = 86'400 * micros_per_second;

constexpr std::string_view hex_digits = "0123456789abcdef";

// Takes so many digits, at least `least`, from the front.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t least,
                                        std::size_t most) {
    std::size_t size = 0;
    std::int64_t value = 0;
    while (size < most && size < text.size() && text[size] >= '0' && text[size] <= '9') {
        value = value * 10 + (text[size++] - '0');
    }
    if (size < least) return std::nullopt;
    text.remove_prefix(size);
    return value;
}

bool take(std::string_view& text, char c) noexcept {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::int64_t> take_days(std::string_view& text) {
    const auto year = take_number(text, 4, 6);
    if (!year || !take(text, '-')) return std::nullopt;
    const auto month = take_number(text, 2, 2);
    if (!month || !take(text, '-')) return std::nullopt;
    const auto day = take_number(text, 2, 2);
    if (!day || *year > 294'276) return std::nullopt;
    // chrono's years end at 32767; 400 years are 146,097 days.
    const std::int64_t cycles = *year / 400;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year % 400)),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date).time_since_epoch().count() + cycles * 146'097;
}

// Microseconds of the day: "15:22:00.5", "15:22".
std::optional<std::int64_t> take_time(std::string_view& text) {
    const auto hour = take_number(text, 2, 2);
    if (!hour || !take(text, ':')) return std::nullopt;
    const auto minute = take_number(text, 2, 2);
    if (!minute || *hour > 24 || *minute > 59) return std::nullopt;
    std::int64_t micros = (*hour * 3600 + *minute * 60) * micros_per_second;
    if (!take(text, ':')) return micros;
    const auto second = take_number(text, 2, 2);
    if (!second || *second > 60) return std::nullopt;
    micros += *second * micros_per_second;
    if (!take(text, '.')) return micros;
    const std::size_t before = text.size();
    auto part = take_number(text, 1, 6);
    if (!part) return std::nullopt;
    for (std::size_t digits = before - text.size(); digits < 6; ++digits) *part *= 10;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') text.remove_prefix(1);
    return micros + *part;
}

// "", "Z", "+02", "-03:30", "+0530".
std::optional<std::int64_t> take_zone(std::string_view& text) {
    if (text.empty() || take(text, 'Z')) return 0;
    const bool is_east = take(text, '+');
    if (!is_east && !take(text, '-')) return std::nullopt;
    const auto hours = take_number(text, 2, 2);
    if (!hours) return std::nullopt;
    const bool has_colon = take(text, ':');
    const auto minutes = take_number(text, 2, 2);
    if (has_colon && !minutes) return std::nullopt;
    const std::int64_t seconds = *hours * 3600 + minutes.value_or(0) * 60;
    return (is_east ? seconds : -seconds) * micros_per_second;
}

std::string two_digits(std::int64_t number) {
    return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

std::string text_of_days(std::int64_t days) {
    const std::int64_t cycles = days >= 0 ? days / 146'097 : -((-days + 146'096) / 146'097);
    const std::chrono::year_month_day date{
        std::chrono::sys_days(std::chrono::days(static_cast<int>(days - cycles * 146'097)))};
    const std::int64_t year = static_cast<int>(date.year()) + cycles * 400;
    // Astronomical: the year 0 is 1 BC.
    const std::int64_t shown = year > 0 ? year : 1 - year;
    std::string text = std::to_string(shown);
    if (text.size() < 4) text.insert(0, 4 - text.size(), '0');
    text += "-" + two_digits(static_cast<unsigned>(date.month()));
    text += "-" + two_digits(static_cast<unsigned>(date.day()));
    return text;
}

bool is_before_christ(std::int64_t days) noexcept {
    return days < -719'528 + 366;  // before 0001-01-01
}

}  // namespace

std::optional<Timestamp> Timestamp::parse(std::string_view text) {
    if (text == "infinity") return future();
    if (text == "-infinity") return past();
    const auto days = take_days(text);
    if (!days) return std::nullopt;
    std::int64_t micros = 0;
    if (__builtin_mul_overflow(*days, micros_per_day, &micros)) return std::nullopt;
    if (!text.empty()) {
        if (!take(text, ' ') && !take(text, 'T')) return std::nullopt;
        const auto time = take_time(text);
        const auto zone = time ? take_zone(text) : std::nullopt;
        if (!zone || !text.empty()) return std::nullopt;
        if (__builtin_add_overflow(micros, *time - *zone, &micros)) return std::nullopt;
    }
    return Timestamp{micros};
}

std::string Timestamp::to_string() const {
    if (*this == future()) return "infinity";
    if (*this == past()) return "-infinity";
    std::int64_t days = micros / micros_per_day;
    std::int64_t rest = micros % micros_per_day;
    if (rest < 0) {
        --days;
        rest += micros_per_day;
    }
    std::string text = text_of_days(days);
    const std::int64_t seconds = rest / micros_per_second;
    text += " " + two_digits(seconds / 3600) + ":" + two_digits(seconds / 60 % 60) + ":" +
            two_digits(seconds % 60);
    if (const std::int64_t part = rest % micros_per_second; part != 0) {
        std::string digits = std::to_string(part);
        digits.insert(0, 6 - digits.size(), '0');
        text += "." + digits.substr(0, digits.find_last_not_of('0') + 1);
    }
    text += "+00";
    if (is_before_christ(days)) text += " BC";
    return text;
}

std::optional<Date> Date::parse(std::string_view text) {
    const auto days = take_days(text);
    if (!days || !text.empty()) return std::nullopt;
    return Date{static_cast<std::int32_t>(*days)};
}

std::string Date::to_string() const {
    std::string text = text_of_days(days);
    if (is_before_christ(days)) text += " BC";
    return text;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
    Uuid uuid;
    std::size_t digits = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '-' && (i == 8 || i == 13 || i == 18 || i == 23)) continue;
        const int value = hex_value(text[i]);
        if (value < 0 || digits == 32) return std::nullopt;
        auto& byte = uuid.bytes[digits / 2];
        byte = (byte << 4U) | static_cast<std::byte>(value);
        ++digits;
    }
    if (digits != 32) return std::nullopt;
    return uuid;
}

std::string Uuid::to_string() const {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += hex_digits[std::to_integer<std::size_t>(bytes[i] >> 4U)];
        text += hex_digits[std::to_integer<std::size_t>(bytes[i] & std::byte{15})];
    }
    return text;
}

const char* Value::kind_name() const noexcept {
    static constexpr std::array<const char*, std::variant_size_v<Held>> names = {
        "null",    "a bool", "an integer",  "a float", "text",   "bytes",
        "numeric", "json",   "a timestamp", "a date",  "a uuid", "an array"};
    return names[held_.index()];
}

namespace {

std::string text_of_float(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return float_text(value);
}

std::string text_of_bytes(const Blob& bytes) {
    std::string text = "\\x";
    for (const std::byte byte : bytes) {
        text += hex_digits[std::to_integer<std::size_t>(byte >> 4U)];
        text += hex_digits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return text;
}

// {1,NULL,"a \"quoted\" one"}: every item is quoted, so that none is read as null or as structure.
std::string text_of_array(const Array& items) {
    std::string text = "{";
    for (const Value& item : items) {
        if (text.size() > 1) text += ',';
        if (item.is_null()) {
            text += "NULL";
            continue;
        }
        if (const auto* inner = std::get_if<Array>(&item.held())) {
            text += text_of_array(*inner);
            continue;
        }
        text += '"';
        for (const char c : item.to_text()) {
            if (c == '"' || c == '\\') text += '\\';
            text += c;
        }
        text += '"';
    }
    return text + "}";
}

struct TextWriter {
    std::string operator()(std::monostate /*null*/) const { return {}; }
    std::string operator()(bool value) const { return value ? "t" : "f"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return text_of_float(value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const Blob& value) const { return text_of_bytes(value); }
    std::string operator()(const Numeric& value) const { return value.text; }
    std::string operator()(const Json& value) const { return value.text; }
    std::string operator()(const Timestamp& value) const { return value.to_string(); }
    std::string operator()(const Date& value) const { return value.to_string(); }
    std::string operator()(const Uuid& value) const { return value.to_string(); }
    std::string operator()(const Array& value) const { return text_of_array(value); }
};

}  // namespace

std::string Value::to_text() const {
    return std::visit(TextWriter(), held_);
}

}  // namespace gyre::db
