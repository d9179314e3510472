// SPDX-License-Identifier: Apache-2.0
#include "gyre/testing/internal/search_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace gyre::testing {
namespace {

constexpr std::uint64_t seed_count_max = 1'000'000'000;
constexpr std::uint64_t seconds_max = 1'000'000;
constexpr std::uint64_t job_count_max = 16;

std::unexpected<std::string> wrong(std::string why) {
    return std::unexpected(std::move(why) + " (--help lists the options)");
}

std::expected<std::uint64_t, std::string> number_of(std::string_view name, std::string_view text,
                                                    std::uint64_t min, std::uint64_t max,
                                                    int base = 10) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    if (!is_whole || number < min || number > max) {
        return wrong(std::string(name) + " " + std::string(text) + ": a number from " +
                     std::to_string(min) + " to " + std::to_string(max) + " is needed");
    }
    return number;
}

// A level, or events.
std::string read_plan(std::string_view word, SearchOptions& options,
                      std::span<const std::string> hosts) {
    const auto level = sim::parse_level(word);
    if (level) {
        options.level = *level;
        return {};
    }
    const bool is_list = word.empty() || word.find_first_of(" \n#") != word.npos;
    if (!is_list) return level.error() + ", or events: \"at 2s cut a b for 1s; ...\"";
    auto plan = sim::parse_plan(word, hosts);
    if (!plan) return "--plan, " + plan.error();
    options.plan = std::move(*plan);
    return {};
}

// NAME=N, which is no more than the scenario has.
std::string read_size(std::string_view word, SearchOptions& options, const Scenario& scenario) {
    const std::string_view name = word.substr(0, word.find('='));
    const auto size = std::ranges::find(scenario.sizes.all, name, &Size::name);
    if (size == scenario.sizes.all.end()) {
        return "--size " + std::string(word) + ": the scenario has no such size";
    }
    const std::string_view number =
        name.size() == word.size() ? std::string_view() : word.substr(name.size() + 1);
    const auto value = number_of("--size " + size->name, number, size->least, size->value);
    if (!value) return value.error();
    options.sizes.emplace_back(name, *value);
    return {};
}

// One option with its value. Empty: understood.
std::string read_option(std::string_view name, std::string_view value, SearchOptions& options,
                        const Scenario& scenario, std::span<const std::string> hosts) {
    const auto read = [&](auto& into, std::uint64_t min, std::uint64_t max,
                          int base = 10) -> std::string {
        const auto number = number_of(name, value, min, max, base);
        if (!number) return number.error();
        into = static_cast<std::remove_reference_t<decltype(into)>>(*number);
        return {};
    };
    if (name == "--seed") return read(options.seed, 0, ~std::uint64_t{0});
    if (name == "--seeds") return read(options.seed_count, 1, seed_count_max);
    if (name == "--first") return read(options.first_seed, 0, ~std::uint64_t{0} - seed_count_max);
    if (name == "--seconds") return read(options.seconds, 1, seconds_max);
    if (name == "--jobs") return read(options.jobs, 1, job_count_max);
    if (name == "--size") return read_size(value, options, scenario);
    if (name == "--trace") return read(options.trace, 0, ~std::uint64_t{0}, 16);
    return read_plan(value, options, hosts);
}

constexpr std::array<std::string_view, 8> with_value = {"--seed", "--seeds", "--first", "--seconds",
                                                        "--jobs", "--trace", "--plan",  "--size"};

}  // namespace

std::expected<SearchOptions, std::string> read_options(std::span<char* const> words,
                                                       const Scenario& scenario,
                                                       std::span<const std::string> hosts) {
    SearchOptions options;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string_view name = words[i];
        if (name == "--help" || name == "-h") {
            options.wants_help = true;
        } else if (name == "--shrink") {
            options.shrinks = true;
        } else if (name == "--quiet") {
            options.is_quiet = true;
        } else {
            const std::size_t equals = name.find('=');
            const bool is_own = std::ranges::find(scenario.own_options, name.substr(0, equals)) !=
                                scenario.own_options.end();
            const bool is_known =
                is_own || std::ranges::find(with_value, name.substr(0, equals)) != with_value.end();
            if (!is_known) return wrong("unknown option " + std::string(name));
            const bool is_last = i + 1 == words.size();
            if (equals == name.npos && is_last) return wrong(std::string(name) + " needs a value");
            const std::string_view value =
                equals == name.npos ? std::string_view(words[++i]) : name.substr(equals + 1);
            name = name.substr(0, equals);
            if (is_own) {
                options.repeated += " " + std::string(name) + " '" + std::string(value) + "'";
                continue;
            }
            if (name == "--plan") options.plan_word = value;
            std::string why = read_option(name, value, options, scenario, hosts);
            if (!why.empty()) return std::unexpected(std::move(why));
        }
    }
    return options;
}

namespace {

std::string sizes_text(const Scenario& scenario) {
    std::string text;
    for (const Size& size : scenario.sizes.all) {
        text += (text.empty() ? ": " : ", ") + size.name + " " + std::to_string(size.least) +
                " to " + std::to_string(size.value);
    }
    return text.empty() ? "; this scenario has no sizes" : text;
}

}  // namespace

std::string help_of(const Scenario& scenario, const std::string& program) {
    return program + " [OPTIONS]: looks for a seed that breaks the scenario '" + scenario.name +
           "'\n\n"
           "  --seeds N       how many seeds; default 1000\n"
           "  --first N       the first of them; default 1\n"
           "  --seconds N     stop after this real time\n"
           "  --jobs N        threads; default 1\n"
           "  --plan PLAN     calm, rough (default) or hostile, or a list of events\n"
           "  --seed N        run this seed only\n"
           "  --trace HASH    with --seed: refuse if the run is another one, as in another build\n"
           "  --shrink        make the plan and the sizes of the failure as small as possible\n"
           "  --size NAME=N   run with less of something" +
           sizes_text(scenario) +
           "\n"
           "  --quiet         no line of progress each second\n" +
           scenario.own_help +
           "\nA failure is one line of JSON on standard output, and exit code 1.\n";
}

sim::Plan plan_for(const SearchOptions& options, const Scenario& scenario, std::uint64_t seed,
                   std::span<const std::string> hosts) {
    if (options.plan) return *options.plan;
    return sim::draw_plan(options.level, seed, hosts, scenario.faults_last);
}

}  // namespace gyre::testing
