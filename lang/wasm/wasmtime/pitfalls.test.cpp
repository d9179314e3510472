// SPDX-License-Identifier: Apache-2.0
// The places of the host protocol that are easily got wrong, with an engine: memory that moves, exports that a module may lack,
// the text of a panic. Those of sections, schemas and frames are in lang/wasm/protocol.test.cpp.
#include <gtest/gtest.h>

#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

using effect::resume;

std::string with(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

Value answered(const std::string& module) {
    WasmWorld world(module);
    world.world.handlers.on("com.example.async", "await", effect::any_signature,
                            [](effect::Context&, const Arguments& arguments) {
                                return resume(arguments[0].integer() + 1);
                            });
    const auto outcome = world.run();
    EXPECT_TRUE(outcome.has_value()) << outcome.error().message;
    return outcome.has_value() ? outcome.value() : Value();
}

// A growth beyond the reserved addresses moves the memory: its base is read again after every call.
TEST(ModuleMemory, may_move_in_every_call) {
    for (const char* name : {"resume_a.wat", "resume_b.wat"}) {
        for (const char* function : {"effect_status", "effect_len", "effect_cont"}) {
            const std::string head =
                "(export \"" + std::string(function) + "\") (param (ref null $result)) (result " +
                (std::string(function) == "effect_cont" ? "anyref" : "i32") + ")";
            const std::string grows = R"((if (i32.lt_u (memory.size) (i32.const 1100))
                (then (drop (memory.grow (i32.const 1100))))))";
            EXPECT_EQ(answered(with(wasm_file(name), head, head + grows)), Value(40)) << function;
        }
    }
}

TEST(ModuleExports, memory_has_two_names_and_init_effects_may_be_missing) {
    for (const char* name : {"resume_a.wat", "resume_b.wat"}) {
        const std::string text = wasm_file(name);
        EXPECT_EQ(answered(with(text, "(export \"memory\")", "")), Value(40));
        EXPECT_EQ(answered(with(text, "(export \"effects_memory\" (memory 0))", "")), Value(40));
        const std::string none = with(with(text, "(export \"memory\")", ""),
                                      "(export \"effects_memory\" (memory 0))", "");
        EXPECT_EQ(WasmWorld(none).run().error().message, "the module exports no memory");
    }
    // A module without effects has no init_effects: its plain functions are called all the same.
    WasmWorld pure(R"((module (@custom "__voyd_effect_table" "\02\00\00\00\00\00\00\00")
        (memory (export "memory") 1) (func (export "main") (result i32) (i32.const 7))))");
    EXPECT_EQ(pure.program->generation(), Generation::first);
    EXPECT_EQ(pure.run().value(), Value(7));
}

// In a shared store the next trap must not show the text of the one before.
TEST(Panic, is_told_once) {
    WasmWorld world(R"((module (@custom "__voyd_effect_table" "\02\00\00\00\00\00\00\00")
        (memory (export "memory") 1) (data (i32.const 100) "sorry")
        (global $at (export "__voyd_panic_ptr") (mut i32) (i32.const -1))
        (global $size (export "__voyd_panic_len") (mut i32) (i32.const 0))
        (func (export "panics") (global.set $at (i32.const 100)) (global.set $size (i32.const 5))
            (unreachable))
        (func (export "traps") (unreachable))
        (func (export "told") (result i32)
            (i32.and (i32.eq (global.get $at) (i32.const -1)) (i32.eqz (global.get $size))))))",
                    {.shares_store = true});
    const auto panic = world.run("panics");
    EXPECT_EQ(panic.error().kind, ErrorKind::panic);
    EXPECT_EQ(panic.error().message, "sorry");
    EXPECT_EQ(world.run("traps").error().kind, ErrorKind::trap);
    EXPECT_EQ(world.run("told").value(), Value(1));
}

}  // namespace
}  // namespace gyre::wasm
