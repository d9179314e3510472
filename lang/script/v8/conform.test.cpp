// SPDX-License-Identifier: Apache-2.0
// The scenarios of jobs, in JavaScript on the engine.
#include <gtest/gtest.h>

#include "lang/script/conform/script_conform.hpp"
#include "lang/script/script_world.test.hpp"

namespace gyre::script {
namespace {

TEST(ScriptConform, jobs_run_in_the_order_of_the_tables) {
    const conform::Results results = run_jobs(tested::make_engine, {"sim"});
    EXPECT_FALSE(conform::has_failed(results)) << conform::as_table(results);
    EXPECT_GT(conform::count_of(results, conform::Verdict::pass), 40u);
}

}  // namespace
}  // namespace gyre::script
