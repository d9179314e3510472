// SPDX-License-Identifier: Apache-2.0
// A program that the checker accepts never ends in an internal error: programs of the tests and random
// ones, which use every feature of the language, are changed at random places; others are made from the
// whole standard surface, on random types. Each one without errors is lowered, verified and run under
// limits, every tenth with a collection at each safepoint. An assertion of the machine ends the test
// program, which prints the number of the program; `GYRE_VELA_SEED=n` prints and runs that one alone,
// `GYRE_VELA_FIRST=n` and `GYRE_VELA_LAST=n` run a part of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "gyre/base/random.hpp"
#include "lang/vela/reference/generator.hpp"
#include "lang/vela/reference/machine_outcome.hpp"
#include "lang/vela/reference/run_text.hpp"
#include "lang/vela/reference/surface_programs.hpp"
#include "tests/vela/cases.hpp"

namespace gyre::vela {
namespace {

std::vector<std::string> seed_programs() {
    std::vector<std::string> texts;
    for (const char* folder : {"run", "library", "clean"}) {
        for (const Case& one : cases_of(folder)) texts.push_back(one.program);
    }
    for (std::uint64_t seed = 1; seed <= 40; ++seed) texts.push_back(random_program(seed));
    return texts;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Words, numbers, texts without the quotes' insides looked at, and single characters.
std::vector<std::string> tokens_of(const std::string& text) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        if (is_word(text[at])) {
            while (end < text.size() && is_word(text[end])) ++end;
        } else if (text[at] == '"') {
            while (end < text.size() && text[end] != '"' && text[end] != '\n') ++end;
            end = std::min(end + 1, text.size());
        }
        tokens.push_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

std::size_t pick(Random& random, std::size_t count) {
    return static_cast<std::size_t>(random.below(count));
}

bool is_changeable(const std::string& token) {
    return is_word(token[0]) || token[0] == '"' || token == "+" || token == "*" || token == "<";
}

std::string mutant_of(const std::vector<std::string>& programs, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::string> tokens = tokens_of(programs[pick(random, programs.size())]);
    const std::vector<std::string> others = tokens_of(programs[pick(random, programs.size())]);
    const std::size_t change_count = 1 + pick(random, 3);
    for (std::size_t i = 0; i < change_count; ++i) {
        std::size_t at = pick(random, tokens.size());
        while (!is_changeable(tokens[at])) at = (at + 1) % tokens.size();
        switch (pick(random, 5)) {
            case 0:  // a token of the same program
            case 1:
                tokens[at] = tokens[pick(random, tokens.size())];
                break;
            case 2:
                tokens[at] = others[pick(random, others.size())];
                break;
            case 3: {
                const char* const values[] = {"0",
                                              "1",
                                              "1.5",
                                              "\"x\"",
                                              "true",
                                              "[]",
                                              "None",
                                              "Some(1)",
                                              "(1, 2)",
                                              "{}",
                                              "9223372036854775807"};
                tokens[at] = values[pick(random, std::size(values))];
                break;
            }
            default:
                tokens[at] += " " + tokens[at];
        }
    }
    std::string text;
    for (const std::string& token : tokens) text += token;
    return text;
}

struct Part {
    std::uint64_t first;
    std::uint64_t last;
    [[nodiscard]] std::uint64_t count() const { return last + 1 - first; }
};

// Of the programs up to a number, with GYRE_TEST_LONG=1 up to 100,000.
Part part_to_run(std::uint64_t count_in_ci) {
    const auto given = [](const char* name, std::uint64_t otherwise) {
        const char* text = std::getenv(name);
        return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
    };
    const bool is_long = std::getenv("GYRE_TEST_LONG") != nullptr;
    return {given("GYRE_VELA_FIRST", 1), given("GYRE_VELA_LAST", is_long ? 100'000 : count_in_ci)};
}

volatile std::uint64_t running_seed = 0;

void show_seed(int /*signal*/) {
    char text[64];
    const int size = std::snprintf(text, sizeof(text), "program %llu\n",
                                   static_cast<unsigned long long>(running_seed));
    static_cast<void>(!::write(STDERR_FILENO, text, static_cast<std::size_t>(size)));
}

// True if the checker accepts it.
bool run_if_accepted(const std::string& text, bool collects_always = false) {
    SourceTable no_files;
    const auto program = check("a.vela", text, no_files);
    if (program->diagnostics.has_errors()) return false;
    const auto lowered = lower(*program);
    EXPECT_EQ(verify(*lowered, program->types), std::vector<std::string>()) << text;
    EXPECT_EQ(verify_code(*lowered), std::vector<std::string>()) << text;
    MachineOptions options;
    options.memory_bytes_max = std::size_t{64} << 20U;
    options.depth_max = 500;
    options.collects_always = collects_always;
    options.time_max = std::chrono::milliseconds(20);
    const Outcome outcome = run_machine(*lowered, options);
    EXPECT_EQ(outcome.internal_error, "") << text;
    return true;
}

TEST(VelaSoundness, what_is_accepted_runs_without_an_internal_error) {
    const std::vector<std::string> programs = seed_programs();
    if (const char* one = std::getenv("GYRE_VELA_SEED")) {
        const std::string text = mutant_of(programs, std::strtoull(one, nullptr, 10));
        std::fprintf(stderr, "%s\n", text.c_str());
        run_if_accepted(text);
        return;
    }
#ifdef VELA_SANITIZED
    constexpr std::uint64_t mutants_in_ci = 300;
#else
    constexpr std::uint64_t mutants_in_ci = 1'500;
#endif
    const Part part = part_to_run(mutants_in_ci);
    const auto before = std::signal(SIGABRT, show_seed);
    std::uint64_t accepted = 0;
    for (std::uint64_t seed = part.first; seed <= part.last && !HasFailure(); ++seed) {
        SCOPED_TRACE("mutant " + std::to_string(seed));
        running_seed = seed;
        if (run_if_accepted(mutant_of(programs, seed))) ++accepted;
    }
    static_cast<void>(std::signal(SIGABRT, before));
    // Enough of them must run for this to mean something.
    EXPECT_GE(accepted, part.count() / 50);
}

// Each begins the next one inside of its own start.
TEST(VelaSoundness, futures_that_begin_one_another_without_end_take_no_stack) {
    EXPECT_TRUE(run_if_accepted(R"(
async fn deep(n: Number) -> Number {
  (below, one) = await deep(n + 1).and(Future.ready(1))
  return below + one
}
async fn main() -> void { print(await deep(0)) }
)"));
}

TEST(VelaSoundness, programs_over_the_whole_surface_run_without_an_internal_error) {
    if (const char* one = std::getenv("GYRE_VELA_SEED")) {
        const std::string text = surface_program(std::strtoull(one, nullptr, 10));
        std::fprintf(stderr, "%s\n", text.c_str());
        run_if_accepted(text);
        return;
    }
#ifdef VELA_SANITIZED
    constexpr std::uint64_t programs_in_ci = 100;
#else
    constexpr std::uint64_t programs_in_ci = 500;
#endif
    const Part part = part_to_run(programs_in_ci);
    const auto before = std::signal(SIGABRT, show_seed);
    std::uint64_t accepted = 0;
    for (std::uint64_t seed = part.first; seed <= part.last && !HasFailure(); ++seed) {
        SCOPED_TRACE("program " + std::to_string(seed));
        running_seed = seed;
        if (run_if_accepted(surface_program(seed), seed % 10 == 0)) ++accepted;
    }
    static_cast<void>(std::signal(SIGABRT, before));
    EXPECT_GE(accepted, part.count() / 10);
}

}  // namespace
}  // namespace gyre::vela
