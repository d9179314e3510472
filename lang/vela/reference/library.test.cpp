// SPDX-License-Identifier: Apache-2.0
// Programs that use more of the standard surface than the reference has: on the machine alone, with
// and without a collection at each safepoint, against their stated output.
#include <gtest/gtest.h>

#include "lang/vela/reference/machine_outcome.hpp"
#include "lang/vela/reference/run_text.hpp"
#include "tests/vela/cases.hpp"

namespace gyre::vela {
namespace {

TEST(VelaLibrary, programs_print_what_is_stated) {
    const std::vector<Case> cases = cases_of("library");
    EXPECT_GE(cases.size(), 25U);
    for (const Case& one : cases) {
        SCOPED_TRACE(one.name);
        SourceTable no_files;
        const auto program = check("a.vela", one.program, no_files);
        ASSERT_EQ(report(program->diagnostics.sorted()), "");
        const auto lowered = lower(*program);
        EXPECT_EQ(verify_code(*lowered), std::vector<std::string>());
        EXPECT_EQ(run_machine(*lowered).output(), one.report);
        EXPECT_EQ(run_machine(*lowered, {.collects_always = true}).output(), one.report);
    }
}

}  // namespace
}  // namespace gyre::vela
