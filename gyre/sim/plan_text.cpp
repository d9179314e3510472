// SPDX-License-Identifier: Apache-2.0
// Plans as text.
#include <algorithm>
#include <charconv>
#include <optional>

#include "gyre/sim/internal/fault_words.hpp"
#include "gyre/sim/plan.hpp"

namespace gyre::sim {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
};
// From the largest.
constexpr std::array<Unit, 6> units = {{{"h", 3'600'000'000'000},
                                        {"min", 60'000'000'000},
                                        {"s", 1'000'000'000},
                                        {"ms", 1'000'000},
                                        {"us", 1'000},
                                        {"ns", 1}}};

// The longest time of a plan.
constexpr std::uint64_t time_max = 1000 * units[0].nanoseconds;

std::string text_of_time(std::uint64_t nanoseconds) {
    for (const Unit& unit : units) {
        if (nanoseconds > 0 && nanoseconds % unit.nanoseconds == 0) {
            return std::to_string(nanoseconds / unit.nanoseconds) + std::string(unit.name);
        }
    }
    return "0s";
}

std::string text_of_time(Duration time) {
    return text_of_time(static_cast<std::uint64_t>(time.count()));
}

// ---- Reading ----

// The words of one event, and what is wrong with it.
class EventReader {
public:
    EventReader(std::string_view text, std::span<const std::string> hosts)
        : text_(text), hosts_(hosts) {
        while (!text.empty()) {
            const std::size_t begin = text.find_first_not_of(" \t\r");
            if (begin == text.npos) break;
            const std::size_t end = std::min(text.find_first_of(" \t\r", begin), text.size());
            words_.push_back(text.substr(begin, end - begin));
            text.remove_prefix(end);
        }
    }

    [[nodiscard]] bool is_empty() const noexcept { return words_.empty(); }

    std::expected<PlanEvent, std::string> read() {
        PlanEvent event{};
        if (next() != "at") return wrong("an event begins with \"at TIME\"");
        const std::optional<std::uint64_t> at = time();
        if (!at) return wrong("a time is 2s, 500ms, 1min ...");
        event.at = Duration(static_cast<Duration::rep>(*at));
        const std::string_view word = next();
        const auto row = std::ranges::find(fault_words, word, &FaultWord::word);
        if (row == fault_words.end()) {
            return wrong("'" + std::string(word) + "' is no fault");
        }
        event.kind = row->kind;
        if (const std::string why = read_hosts(*row, event); !why.empty()) return wrong(why);
        if (const std::string why = read_operand(*row, event); !why.empty()) return wrong(why);
        if (row->has_duration) {
            const std::optional<std::uint64_t> lasts =
                next() == "for" ? time() : std::optional<std::uint64_t>();
            if (!lasts || *lasts == 0) return wrong("how long? \"for TIME\" is missing");
            event.lasts = Duration(static_cast<Duration::rep>(*lasts));
        }
        if (at_ < words_.size()) return wrong("'" + std::string(words_[at_]) + "' is too much");
        return event;
    }

private:
    std::string_view next() noexcept { return at_ < words_.size() ? words_[at_++] : ""; }

    // Two names, "a b" or "a-b".
    std::string read_hosts(const FaultWord& row, PlanEvent& event) {
        if (row.host_count == 0) return {};
        std::string_view first = next();
        std::string_view second;
        if (row.host_count == 2) {
            const std::size_t dash = first.find('-');
            if (!is_host(first) && dash != first.npos) {
                second = first.substr(dash + 1);
                first = first.substr(0, dash);
            } else {
                second = next();
            }
            if (first == second) return "a fault between two hosts needs two different ones";
        }
        for (const std::string_view name : {first, second}) {
            if (name.empty() && (name.data() == second.data() && row.host_count == 1)) continue;
            if (!is_host(name)) return "there is no host '" + std::string(name) + "'";
        }
        event.host = first;
        event.other = second;
        return {};
    }

    std::string read_operand(const FaultWord& row, PlanEvent& event) {
        switch (row.operand) {
            case Operand::none:
                return {};
            case Operand::path:
                event.path = next();
                return event.path.starts_with('/') ? "" : "an absolute path is missing";
            case Operand::time: {
                const std::optional<std::uint64_t> given = time();
                event.number = given.value_or(0);
                return given ? "" : "a time is missing";
            }
            case Operand::number:
                break;
        }
        const std::string_view word = next();
        constexpr std::uint64_t number_max = 1'000'000'000;
        const auto [end, error] =
            std::from_chars(word.data(), word.data() + word.size(), event.number);
        const bool is_number = error == std::errc() && end == word.data() + word.size();
        const bool is_good = is_number && event.number > 0 && event.number <= number_max;
        return is_good ? "" : "a number from 1 to 1000000000 is missing";
    }

    // "2s", "1.5s" or "2 s".
    std::optional<std::uint64_t> time() {
        std::string_view word = next();
        double number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error != std::errc()) return std::nullopt;
        word.remove_prefix(static_cast<std::size_t>(end - word.data()));
        if (word.empty()) word = next();
        const auto unit = std::ranges::find(units, word, &Unit::name);
        if (unit == units.end()) return std::nullopt;
        const double nanoseconds = number * static_cast<double>(unit->nanoseconds);
        const bool is_good = nanoseconds >= 0 && nanoseconds <= static_cast<double>(time_max);
        if (!is_good) return std::nullopt;
        return static_cast<std::uint64_t>(nanoseconds + 0.5);
    }

    [[nodiscard]] bool is_host(std::string_view name) const {
        return std::ranges::find(hosts_, name) != hosts_.end();
    }

    std::unexpected<std::string> wrong(const std::string& why) const {
        return std::unexpected("in \"" + std::string(text_) + "\": " + why);
    }

    const std::string_view text_;
    const std::span<const std::string> hosts_;
    std::vector<std::string_view> words_;
    std::size_t at_ = 0;
};

std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

std::string to_text(const PlanEvent& event) {
    const FaultWord& row = row_of(event.kind);
    std::string text = "at " + text_of_time(event.at) + " " + std::string(row.word);
    if (row.host_count > 0) text += " " + event.host;
    if (row.host_count > 1) text += " " + event.other;
    if (row.operand == Operand::number) text += " " + std::to_string(event.number);
    if (row.operand == Operand::time) text += " " + text_of_time(event.number);
    if (row.operand == Operand::path) text += " " + event.path;
    if (row.has_duration) text += " for " + text_of_time(event.lasts);
    return text;
}

std::string to_text(const Plan& plan) {
    std::string text;
    for (const PlanEvent& event : plan.events) text += to_text(event) + "\n";
    return text;
}

std::expected<Plan, std::string> parse_plan(std::string_view text,
                                            std::span<const std::string> hosts) {
    Plan plan;
    for (std::size_t line_number = 1; !text.empty(); ++line_number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line = line.substr(0, line.find('#'));
        const std::string place = "line " + std::to_string(line_number) + ": ";
        while (!line.empty()) {
            const std::size_t stop = std::min(line.find_first_of(",;"), line.size());
            EventReader reader(trimmed(line.substr(0, stop)), hosts);
            line.remove_prefix(std::min(stop + 1, line.size()));
            if (reader.is_empty()) continue;
            std::expected<PlanEvent, std::string> event = reader.read();
            if (!event) return std::unexpected(place + event.error());
            if (!plan.events.empty() && event->at < plan.events.back().at) {
                return std::unexpected(place + "the time goes back in \"" + to_text(*event) + "\"");
            }
            if (plan.events.size() == plan_events_max) {
                return std::unexpected(place + "more than plan_events_max = " +
                                       std::to_string(plan_events_max) + " events");
            }
            plan.events.push_back(std::move(*event));
        }
    }
    return plan;
}

}  // namespace gyre::sim
