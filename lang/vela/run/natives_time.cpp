// SPDX-License-Identifier: Apache-2.0
// system:time: milliseconds since 1970, and as ISO 8601 in UTC; and what system:process has without
// a child process.
#include <charconv>
#include <chrono>
#include <cstdio>

#include "gyre/io/permissions.hpp"
#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela::vm {
namespace {

using Args = std::span<const Word>;
using Milliseconds = std::chrono::sys_time<std::chrono::milliseconds>;

Word format_time(Vm& vm, Args args) {
    // The years 0 to 9999.
    constexpr std::int64_t least = -62167219200000;
    constexpr std::int64_t most = 253402300799999;
    const std::int64_t ms = number_of(args[1]);
    if (ms < least || ms > most) vm.fail("Error", "A time is between the years 0 and 9999");
    const Milliseconds when{std::chrono::milliseconds(ms)};
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{when - day};
    char text[40];
    static_cast<void>(std::snprintf(
        text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", int{date.year()},
        unsigned{date.month()}, unsigned{date.day()}, static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
        static_cast<int>(clock.subseconds().count())));
    return vm.heap.text(text);
}

// Reads digits, and the mark behind them.
class TimeReader {
public:
    explicit TimeReader(std::string_view text) noexcept : rest_(text) {}
    int number(std::size_t digits) {
        int value = 0;
        const std::string_view part = rest_.substr(0, digits);
        const auto read = std::from_chars(part.begin(), part.end(), value);
        if (part.size() != digits || read.ptr != part.end() || read.ec != std::errc() ||
            part[0] == '-') {
            is_wrong = true;
        }
        rest_.remove_prefix(part.size());
        return value;
    }
    bool take(char mark) {
        if (!rest_.starts_with(mark)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void need(char mark) {
        if (!take(mark)) is_wrong = true;
    }
    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
    bool is_wrong = false;

private:
    std::string_view rest_;
};

Word parse_time(Vm& vm, Args args) {
    TimeReader reader(text_of(args[1]));
    using namespace std::chrono;
    const int year_number = reader.number(4);
    reader.need('-');
    const int month_number = reader.number(2);
    reader.need('-');
    const int day_number = reader.number(2);
    milliseconds in_day(0);
    if (reader.take('T')) {
        const int hour = reader.number(2);
        reader.need(':');
        const int minute = reader.number(2);
        const int second = reader.take(':') ? reader.number(2) : 0;
        const int milli = reader.take('.') ? reader.number(3) : 0;
        reader.need('Z');
        if (hour > 23 || minute > 59 || second > 59) reader.is_wrong = true;
        in_day = hours(hour) + minutes(minute) + seconds(second) + milliseconds(milli);
    }
    const year_month_day date{year(year_number), month(static_cast<unsigned>(month_number)),
                              day(static_cast<unsigned>(day_number))};
    if (reader.is_wrong || !reader.is_at_end() || !date.ok()) {
        return vm.err(vm.error("ParseError", concat("\"", text_of(args[1]), "\" is not a time")));
    }
    const milliseconds when = sys_days(date).time_since_epoch() + in_day;
    return vm.ok(vm.heap.number(when.count()));
}

Word exit_program(Vm& vm, Args args) {
    vm.tasks->end(static_cast<int>(number_of(args[0]) & 0xFF));
    throw Ended();
}

Word environment(Vm& vm, Args args) {
    const std::string& name = text_of(args[0]);
    const Permissions* permissions = vm.host.permissions();
    if (permissions != nullptr && !permissions->allows_variable(name)) {
        vm.fail("Error",
                concat("the environment variable ", name, " is not permitted: --allow env=", name));
    }
    const char* value = vm.host.environment(name);
    return value == nullptr ? vm.none() : vm.some(vm.heap.text(value));
}

}  // namespace

void add_time_natives(NativeTable& table) {
    table["TimeFunctions.now"] = [](Vm& vm, Args) {
        return vm.heap.number(vm.host.unix_time_ms());
    };
    table["TimeFunctions.format"] = format_time;
    table["TimeFunctions.parse"] = parse_time;
    table["exit"] = exit_program;
    table["env"] = environment;
}

}  // namespace gyre::vela::vm
