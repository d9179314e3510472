// SPDX-License-Identifier: Apache-2.0
// Times and sizes with a unit, as options take them: "2s", "64M". Any thread.
#pragma once

#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/usage.hpp"

namespace gyre::cli {

struct LimitUnit {
    std::string_view name;
    double factor;
};
inline constexpr LimitUnit limit_times[] = {
    {"ms", 1e6}, {"s", 1e9}, {"", 1e9}, {"m", 60e9}, {"us", 1e3}};
inline constexpr LimitUnit limit_sizes[] = {{"M", 1 << 20}, {"K", 1 << 10},  {"G", 1 << 30},
                                            {"", 1},        {"MB", 1 << 20}, {"MiB", 1 << 20}};
// Far beyond every use, and below what an integer of 64 bits holds.
inline constexpr double amount_max = 4e18;

// A number with a unit of the table. Throws a UsageError that names the option.
[[nodiscard]] inline double amount(const std::string& text, std::span<const LimitUnit> units,
                                   const char* option) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const LimitUnit& one : units) {
        if (error != std::errc() || one.name != unit || !(number > 0)) continue;
        if (number * one.factor > amount_max) {
            throw UsageError(std::string(option) + " " + text + ": too large");
        }
        return number * one.factor;
    }
    throw UsageError(std::string(option) + " " + text +
                     ": give a number above 0 with a unit, as in " +
                     (units.front().name == "ms" ? "200ms or 2s" : "64M or 2G"));
}

}  // namespace gyre::cli
