// SPDX-License-Identifier: Apache-2.0
// The lowered form of a program does what its tree says: both interpreters come to the same
// outcome, on programs as people write them and on random ones. A failure shows the seed and the
// program; `GYRE_VELA_SEED=n` runs that one alone.
#include <cstdlib>

#include "gyre/vela/lower/lower.hpp"
#include "gyre/vela/lower/print.hpp"
#include "gyre/vela/lower/verify.hpp"
#include "gyre/vela/syntax/report.hpp"
#include "tests/vela/cases.hpp"
#include "tests/vela_run/evaluator.hpp"
#include "tests/vela_run/generator.hpp"
#include "tests/vela_run/lowered_interpreter.hpp"

namespace gyre::vela {
namespace {

std::expected<std::string, std::string> no_file(const std::string& path) {
    return std::unexpected(path + ": there is none");
}

// How many lines it printed; fails the test where the two differ.
std::size_t expect_agreement(const std::string& text) {
    const auto program = check("a.vela", text, &no_file);
    EXPECT_EQ(report(program->diagnostics.sorted()), "") << text;
    if (program->diagnostics.has_errors()) return 0;
    const auto lowered = lower(*program);
    EXPECT_EQ(verify(*lowered, program->types), std::vector<std::string>()) << text;
    const Outcome wanted = evaluate(*program, "a.vela");
    const Outcome found = run_lowered(*lowered);
    EXPECT_EQ(found.all(), wanted.all()) << text << print(*lowered);
    return wanted.lines.size();
}

bool needs_sockets(const std::string& text) {
    return text.find("HttpServer") != std::string::npos ||
           text.find("httpClient") != std::string::npos;
}

TEST(VelaAgreement, of_lowered_programs_and_their_trees) {
    int run_count = 0;
    for (const char* folder : {"programs", "seed_complete"}) {
        for (const auto& path : files_of(folder)) {
            auto wrong = path;
            wrong.replace_extension(".err");
            const std::string text = read_text(path);
            if (std::filesystem::exists(wrong) || needs_sockets(text)) continue;
            SCOPED_TRACE(path.filename().string());
            expect_agreement(text);
            ++run_count;
        }
    }
    for (const Case& right : cases_of("clean")) {
        if (needs_sockets(right.program)) continue;
        SCOPED_TRACE(right.name);
        expect_agreement(right.program);
        ++run_count;
    }
    EXPECT_GE(run_count, 120);
}

TEST(VelaAgreement, of_random_programs_in_lowered_form_and_as_trees) {
    std::uint64_t first = 1;
    std::uint64_t last = std::getenv("GYRE_TEST_LONG") != nullptr ? 5000 : 500;
    if (const char* one = std::getenv("GYRE_VELA_SEED")) {
        first = last = std::strtoull(one, nullptr, 10);
    }
    std::size_t line_count = 0;
    for (std::uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        line_count += expect_agreement(random_program(seed));
    }
    EXPECT_GE(line_count, 10 * (last - first + 1));
}

}  // namespace
}  // namespace gyre::vela
