// SPDX-License-Identifier: Apache-2.0
// For tests: checks a text, which must have no errors, and evaluates it. Its lowered code must
// verify, and give the same outcome interpreted and on the machine, also if garbage is collected at
// every safepoint.
#pragma once

#include <gtest/gtest.h>

#include "lang/vela/lower/lower.hpp"
#include "lang/vela/reference/evaluator.hpp"
#include "lang/vela/reference/lowered_interpreter.hpp"
#include "lang/vela/reference/machine_outcome.hpp"
#include "lang/vela/syntax/diagnostic.hpp"

namespace gyre::vela {

inline Outcome run_text(const std::string& text) {
    SourceTable no_files;
    const auto program = check("a.vela", text, no_files);
    EXPECT_FALSE(program->diagnostics.has_errors())
        << report(program->diagnostics.sorted()) << text;
    if (program->diagnostics.has_errors()) return {};
    Outcome outcome = evaluate(*program, "a.vela");
    EXPECT_EQ(outcome.internal_error, "") << text;
    const auto lowered = lower(*program);
    EXPECT_EQ(verify(*lowered, program->types), std::vector<std::string>()) << text;
    EXPECT_EQ(run_lowered(*lowered).all(), outcome.all()) << text << print(*lowered);
    EXPECT_EQ(verify_code(*lowered), std::vector<std::string>()) << text << print_code(*lowered);
    EXPECT_EQ(run_machine(*lowered).all(), outcome.all()) << text << print(*lowered);
    EXPECT_EQ(run_machine(*lowered, {.collects_always = true}).all(), outcome.all()) << text;
    return outcome;
}

inline std::string output_of(const std::string& text) {
    return run_text(text).output();
}

inline std::string output_of_main(const std::string& body) {
    return output_of("async fn main() -> void {\n" + body + "\n}\n");
}

}  // namespace gyre::vela
