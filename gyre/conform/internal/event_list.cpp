// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/internal/event_list.hpp"

#include <algorithm>
#include <cstdlib>

#include "gyre/conform/internal/script.hpp"

namespace gyre::conform {
namespace {

constexpr std::uint64_t counted_min = 4;
constexpr std::size_t digits_max = 9;

std::string quoted(const std::vector<std::string>& entries, std::size_t place) {
    return place < entries.size() ? "'" + entries[place] + "'" : std::string("the end");
}

}  // namespace

void EventList::add(std::string_view event) {
    Run* last = runs_.empty() ? nullptr : &runs_.back();
    if (last != nullptr && last->counted == 1 && last->event == event) {
        ++last->equal;
        return;
    }
    const std::size_t digits = event.size() - (event.find_last_not_of("0123456789") + 1);
    const std::string_view text = event.substr(0, event.size() - std::min(digits, digits_max));
    const std::uint64_t number =
        std::strtoull(std::string(event.substr(text.size())).c_str(), nullptr, 10);
    const bool goes_on = last != nullptr && last->equal == 1 && last->number != 0 &&
                         last->text == text && number == last->number + last->counted;
    if (goes_on) {
        ++last->counted;
    } else {
        runs_.push_back({.event = std::string(event), .text = std::string(text), .number = number});
    }
}

std::vector<std::string> EventList::entries() const {
    std::vector<std::string> entries;
    for (const Run& run : runs_) {
        const std::uint64_t end = run.number + run.counted;
        if (run.equal > 1) {
            entries.push_back(run.event + "*" + std::to_string(run.equal));
        } else if (run.counted >= counted_min) {
            entries.push_back(run.event + ".." + std::to_string(end - 1));
        } else {
            entries.push_back(run.event);
            for (std::uint64_t number = run.number + 1; number < end; ++number) {
                entries.push_back(run.text + std::to_string(number));
            }
        }
    }
    return entries;
}

std::string first_difference(std::string_view wanted, const std::vector<std::string>& found) {
    const std::vector<std::string> entries = split(wanted, ',');
    std::size_t place = 0;
    while (place < entries.size() && place < found.size() && entries[place] == found[place]) {
        ++place;
    }
    if (place == entries.size() && place == found.size()) return {};
    const std::string after = place == 0 ? "at the start" : "after " + quoted(found, place - 1);
    return after + ": expected " + quoted(entries, place) + ", got " + quoted(found, place);
}

}  // namespace gyre::conform
