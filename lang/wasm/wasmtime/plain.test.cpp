// SPDX-License-Identifier: Apache-2.0
// Modules without effects, and what a hostile one may do to its host.
#include <gtest/gtest.h>

#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

TEST(PlainModule, calls_an_export_with_its_own_types) {
    WasmWorld world(R"((module
        (func (export "add") (param i32 i32) (result i32)
            (i32.add (local.get 0) (local.get 1)))
        (func (export "half") (param f64) (result f64) (f64.div (local.get 0) (f64.const 2)))
        (func (export "both") (param i64) (result i64 f32) (local.get 0) (f32.const 1.5))
        (func (export "nothing"))))");
    EXPECT_EQ(world.run("add", {1, 2}).value(), Value(3));
    EXPECT_EQ(world.run("add", {2'147'483'647, 1}).value(), Value(-2'147'483'648));
    EXPECT_EQ(world.run("half", {3}).value(), Value(1.5));
    EXPECT_EQ(world.run("both", {7}).value(), Value(Value::List{7, 1.5}));
    EXPECT_EQ(world.run("nothing").value(), Value());
    EXPECT_EQ(world.run("add", {1}).error().kind, ErrorKind::decode_failed);
    EXPECT_EQ(world.run("add", {"x", 1}).error().kind, ErrorKind::decode_failed);
    EXPECT_EQ(world.run("none").error().kind, ErrorKind::unknown_export);
    EXPECT_EQ(world.program->find("add")->to_text(), "add(i32, i32) -> i32");
    EXPECT_EQ(world.program->generation(), Generation::plain);
    EXPECT_EQ(world.guest.instance_count(), 0u);
}

TEST(PlainModule, text_and_bytes_that_are_no_module_are_refused) {
    EXPECT_THROW(static_cast<void>(test_engine().compile("(module (func")), CompileError);
    EXPECT_THROW(static_cast<void>(test_engine().compile(std::string_view("\0asm\1\0\0\0\xff", 9))),
                 CompileError);
    EXPECT_THROW(static_cast<void>(test_engine().compile("")), CompileError);
}

TEST(PlainModule, an_import_that_nothing_provides_is_named) {
    WasmWorld world(R"((module (import "env" "missing" (func)) (func (export "main"))))");
    const auto outcome = world.run();
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_NE(outcome.error().message.find("env.missing"), std::string::npos);
}

}  // namespace
}  // namespace gyre::wasm
