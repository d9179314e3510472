// SPDX-License-Identifier: Apache-2.0
// Tasks inside a run of a module: spawned, joined, cancelled, and left alone.
#include <gtest/gtest.h>

#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

std::string tasks_module() {
    return wasm_file("tasks_b.wat");
}

TEST(ModuleTasks, a_value_of_the_guest_goes_to_the_one_who_joins) {
    // clause: V37
    WasmWorld world(tasks_module());
    const auto outcome = world.run("main");
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_EQ(outcome.value(), Value(42));
    EXPECT_EQ(world.guest.instance_count(), 0u);
    // The invocation, the wait, the child's end as task 2, the answer, the end.
    ASSERT_EQ(world.frames.size(), 5u);
    EXPECT_EQ(world.frames[2], "< 94020502920092a16629");
}

TEST(ModuleTasks, nothing_is_kept_of_children_that_nobody_joins) {
    // clause: V37
    WasmWorld world(tasks_module());
    EXPECT_EQ(world.run("leaves").value(), Value(7));
    EXPECT_EQ(world.guest.instance_count(), 0u);
    EXPECT_EQ(world.frames.size(), 4u);  // both children end, and are encoded
}

TEST(ModuleTasks, a_cancelled_child_says_so_and_a_trap_of_a_child_is_its_failure) {
    WasmWorld world(tasks_module());
    EXPECT_EQ(world.run("cancels").value(), Value(102));
    EXPECT_EQ(world.run("fails").value(), Value(101));
    EXPECT_EQ(world.guest.instance_count(), 0u);
}

}  // namespace
}  // namespace gyre::wasm
