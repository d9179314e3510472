// SPDX-License-Identifier: Apache-2.0
// Modules that loop, recurse, grow and trap: each ends in the outcome that says so.
#include <gtest/gtest.h>

#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

using namespace std::chrono_literals;

ErrorKind kind_of(std::string_view module, InstanceLimits limits = {.time_max = 2s}) {
    limits.is_preemptible = false;
    WasmWorld world(module, {.limits = limits});
    const auto outcome = world.run();
    EXPECT_EQ(outcome.kind(), RunEndKind::failed);
    return outcome.kind() == RunEndKind::failed ? outcome.error().kind : ErrorKind::panic;
}

TEST(HostileModule, an_endless_loop_ends_at_the_time_limit) {
    const InstanceLimits brief{.time_max = 20ms};
    EXPECT_EQ(kind_of(R"((module (func (export "main") (loop br 0))))", brief),
              ErrorKind::time_limit);
    EXPECT_EQ(kind_of(R"((module (func $start (loop br 0)) (start $start)
                          (func (export "main"))))",
                      brief),
              ErrorKind::time_limit);
}

TEST(HostileModule, a_trap_says_what_and_where) {
    WasmWorld world(R"((module
        (func $divide (param i32) (result i32) (i32.div_s (i32.const 1) (local.get 0)))
        (func (export "main") (result i32) (call $divide (i32.const 0)))))");
    const auto outcome = world.run();
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::trap);
    EXPECT_NE(outcome.error().message.find("integer divide by zero in divide"), std::string::npos)
        << outcome.error().message;
    try {
        std::rethrow_exception(outcome.error().cause);
    } catch (const effect::GuestTrap& trap) {
        EXPECT_EQ(trap.place().code, "integer divide by zero");
        EXPECT_EQ(trap.place().function, "divide");
        EXPECT_GT(trap.place().offset, 0u);
    }
}

TEST(HostileModule, deep_recursion_ends_at_the_stack_limit) {
    EXPECT_EQ(kind_of(R"((module (func $down (export "main") (result i32)
                          (i32.add (i32.const 1) (call $down)))))"),
              ErrorKind::stack_limit);
}

TEST(HostileModule, memory_grows_to_the_limit_and_not_beyond) {
    WasmWorld world(R"((module (memory (export "memory") 1)
        (func (export "main") (result i32)
            (loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
            (memory.size))))",
                    {.limits = {.memory_max_bytes = std::size_t{8} << 20u}});
    const auto outcome = world.run();
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_LE(outcome.value().integer(), 128);
    EXPECT_GE(outcome.value().integer(), 112);
    EXPECT_EQ(kind_of(R"((module (memory 1000) (func (export "main"))))",
                      {.memory_max_bytes = std::size_t{1} << 20u}),
              ErrorKind::memory_limit);
}

TEST(HostileModule, a_heap_that_is_kept_ends_at_the_memory_limit) {
    EXPECT_EQ(kind_of(R"((module
        (type $node (struct (field (ref null $node)) (field i64 i64 i64 i64)))
        (global $all (mut (ref null $node)) (ref.null $node))
        (func (export "main")
            (loop
                (global.set $all (struct.new $node (global.get $all) (i64.const 1) (i64.const 2)
                                                   (i64.const 3) (i64.const 4)))
                (br 0)))))",
                      {.memory_max_bytes = std::size_t{16} << 20u, .time_max = 10s}),
              ErrorKind::memory_limit);
}

TEST(HostileModule, cyclic_garbage_is_collected) {
    if (!has_copying_collector()) GTEST_SKIP() << "this library has no copying collector";
    WasmWorld world(R"((module
        (type $pair (struct (field (mut (ref null $pair))) (field i64 i64 i64)))
        (func (export "main") (param $count i32) (result i32)
            (local $a (ref null $pair)) (local $b (ref null $pair))
            (loop
                (local.set $a (struct.new $pair (ref.null $pair) (i64.const 1) (i64.const 2)
                                                (i64.const 3)))
                (local.set $b (struct.new $pair (local.get $a) (i64.const 1) (i64.const 2)
                                                (i64.const 3)))
                (struct.set $pair 0 (local.get $a) (local.get $b))
                (local.set $count (i32.sub (local.get $count) (i32.const 1)))
                (br_if 0 (local.get $count)))
            (i32.const 5))))",
                    {.limits = {.memory_max_bytes = std::size_t{16} << 20u, .time_max = 60s}});
    EXPECT_EQ(world.run("main", {2'000'000}).value(), Value(5));
}

TEST(HostileModule, a_thousand_modules_come_and_go) {
    for (int i = 0; i < 1'000; ++i) {
        WasmWorld world("(module (func (export \"main\") (result i32) (i32.const " +
                        std::to_string(i) + ")))");
        ASSERT_EQ(world.run().value(), Value(i));
    }
}

}  // namespace
}  // namespace gyre::wasm
