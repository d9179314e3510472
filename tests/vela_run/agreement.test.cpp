// SPDX-License-Identifier: Apache-2.0
// The lowered form of a program does what its tree says: both interpreters come to the same
// outcome, on programs as people write them and on random ones. A failure shows the seed and the
// program; `GYRE_VELA_SEED=n` runs that one alone.
#include "tests/vela/cases.hpp"
#include "tests/vela_run/generator.hpp"
#include "tests/vela_run/run_text.hpp"
#include "tests/vela_run/seeds.hpp"

namespace gyre::vela {
namespace {

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
            run_text(text);
            ++run_count;
        }
    }
    for (const Case& right : cases_of("clean")) {
        if (needs_sockets(right.program)) continue;
        SCOPED_TRACE(right.name);
        run_text(right.program);
        ++run_count;
    }
    EXPECT_GE(run_count, 120);
}

TEST(VelaAgreement, of_random_programs_in_lowered_form_and_as_trees) {
    const auto [first, last] = seeds_to_try();
    std::size_t line_count = 0;
    for (std::uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        line_count += run_text(random_program(seed)).lines.size();
    }
    EXPECT_GE(line_count, 10 * (last - first + 1));
}

TEST(VelaAgreement, of_what_is_easily_lowered_wrongly) {
    const std::vector<Case> cases = cases_of("run");
    EXPECT_GE(cases.size(), 7U);
    for (const Case& program : cases) {
        SCOPED_TRACE(program.name);
        EXPECT_EQ(run_text(program.program).output(), program.report);
    }
}

}  // namespace
}  // namespace gyre::vela
