// SPDX-License-Identifier: Apache-2.0
// Functions that a module calls and is called by with frames, without an effect: external ones, and serialised exports.
#include <gtest/gtest.h>

#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

using effect::resume;

std::string escaped(std::string_view json) {
    std::string out;
    for (const char c : json) {
        if (c == '"') {
            out.append("\\22");
        } else if (c != '\n') {
            out.push_back(c);
        }
    }
    return out;
}
std::string section(const char* name, std::string_view json) {
    return "(@custom \"" + std::string(name) + "\" \"" + escaped(json) + "\")\n";
}

constexpr const char* needs_add = R"({"version":1,"functions":[{"kind":"sync","interfaceId":"pkg",
"functionName":"add","params":[{"kind":"i32","fingerprint":"f"},{"kind":"i32","fingerprint":"f"}],
"result":{"kind":"i32","fingerprint":"f"}},{"kind":"async","interfaceId":"pkg","functionName":"later","params":[],
"result":{"kind":"i32","fingerprint":"f"}}]})";

// Calls pkg::add with a frame, and gives the last byte of its answer.
std::string caller(const std::string& frame = R"(\95\02\0c\a3pkg\a3add\92\92\a1f\14\92\a1f\16)",
                   const std::string& capacity = "100", const std::string& out = "256") {
    return "(module " + section("voyd.external_requirements", needs_add) + R"(
        (import "voyd.external" "pkg::add" (func $add (param i32 i32 i32 i32) (result i32)))
        (import "voyd.external" "buffer_size" (func $size (result i32)))
        (import "voyd.external" "buffer_error" (func $error))
        (memory (export "memory") 1) (data (i32.const 0) ")" +
           frame + R"(")
        (func (export "main") (result i32)
            (i32.load8_u (i32.add (i32.const 255)
                (call $add (i32.const 0) (i32.const 20) (i32.const )" +
           out + ") (i32.const " + capacity + R"()))))
        (func (export "size") (result i32) (call $size))
        (func (export "fails") (call $error)))" +
           ")";
}
GuestOptions with_add(ExternalCall call) {
    GuestOptions options;
    options.externals["pkg::add"] = std::move(call);
    return options;
}
Value add(const Arguments& arguments) {
    return arguments[0].integer() + arguments[1].integer();
}

TEST(ExternalFunctions, are_called_with_frames_in_the_modules_memory) {
    WasmWorld world(caller(), with_add(&add));
    EXPECT_EQ(world.run().value(), Value(42));
    EXPECT_EQ(world.frames, (Lines{"< 95020ca3706b67a36164649292a1661492a16616",
                                   "> 95020da3706b67a361646492009"
                                   "2a1662a"}));
    EXPECT_EQ(world.run("size").value(), Value(131'072));
    EXPECT_EQ(world.run("fails").error().kind, ErrorKind::buffer_overflow);
    ASSERT_EQ(world.program->externals().size(), 2u);
    EXPECT_EQ(world.program->externals()[0].to_text(), "pkg::add(i32, i32) -> i32");
    EXPECT_TRUE(world.program->externals()[1].is_async);
}

TEST(ExternalFunctions, that_are_missing_or_fail_or_return_another_type_fail_the_run) {
    WasmWorld missing(caller());
    EXPECT_EQ(missing.run().error().message,
              "the module needs the external function pkg::add, which this host does not have");
    const auto thrown =
        WasmWorld(caller(),
                  with_add([](const Arguments&) -> Value { throw Failure("no numbers today"); }))
            .run();
    EXPECT_EQ(thrown.error().kind, ErrorKind::handler_failed);
    EXPECT_EQ(thrown.error().message, "external function pkg::add: no numbers today");
    const auto text =
        WasmWorld(caller(), with_add([](const Arguments&) { return Value("x"); })).run();
    EXPECT_EQ(text.error().message, "external function pkg::add result expected i32, got string");
}

TEST(ExternalFunctions, refuse_frames_that_lie) {
    const auto kind = [](const std::string& module) {
        return WasmWorld(module, with_add(&add)).run().error().kind;
    };
    EXPECT_EQ(kind(caller(R"(\95\02\0c\a3pkg\a3sub\92\92\a1f\14\92\a1f\16)")),
              ErrorKind::decode_failed);
    EXPECT_EQ(kind(caller(R"(\95\02\0c\a3pkg\a3add\92\92\a1g\14\92\a1f\16)")),
              ErrorKind::decode_failed);
    EXPECT_EQ(kind(caller(R"(\95\02\0c\a3pkg\a3add\92\92\a1f\14\92\a1f\c0)")),
              ErrorKind::decode_failed);
    EXPECT_EQ(kind(caller(R"(\95\02\0c\a3pkg\a3add\91\92\a1f\14\92\a1f\16)")),
              ErrorKind::decode_failed);
    EXPECT_EQ(kind(caller(R"(\95\02\0d\a3pkg\a3add\92\92\a1f\14\92\a1f\16)")),
              ErrorKind::decode_failed);
    EXPECT_EQ(kind(caller(R"(\ff)")), ErrorKind::decode_failed);
    EXPECT_EQ(kind(caller(R"(\95\02\0c\a3pkg\a3add\92\92\a1f\14\92\a1f\16)", "4")),
              ErrorKind::buffer_overflow);
    EXPECT_EQ(kind(caller(R"(\95\02\0c\a3pkg\a3add\92\92\a1f\14\92\a1f\16)", "100", "65530")),
              ErrorKind::memory_limit);
    EXPECT_EQ(kind(caller(R"(\95\02\0c\a3pkg\a3add\92\92\a1f\14\92\a1f\16)", "100", "-4")),
              ErrorKind::memory_limit);
    const std::string other_version =
        "(module " +
        section("voyd.external_requirements", R"({"version":2,"functions":[{"kind":"sync"}]})") +
        ")";
    EXPECT_THROW(static_cast<void>(Program::read(test_engine().compile(other_version))),
                 CompileError);
}

// A module of the second generation with a function that is called with frames: it gives its last argument.
std::string serialised(const std::string& body) {
    return "(module " + section("__voyd_effect_table", "") +
           section("voyd.export_abi", R"({"hostAbi":2,
"dtoSchemaAbi":1,"transport":{"id":"voyd.std.msgpack","version":1},"exports":[{"id":7,"name":"echo","abi":"serialized",
"params":[{"kind":"string","fingerprint":"s"}],"result":{"kind":"string","fingerprint":"s"}}]})") +
           R"(
        (memory (export "memory") 1) (data $head "\94\02\01\07\92\00\92\a1s")
        (func (export "echo") (param $in i32) (param $len i32) (param $out i32) (param $cap i32) (result i32) )" +
           body + "))";
}
constexpr const char* echoes = R"(
    (memory.init $head (local.get $out) (i32.const 0) (i32.const 9))
    (memory.copy (i32.add (local.get $out) (i32.const 9)) (i32.add (local.get $in) (i32.const 8))
                 (i32.sub (local.get $len) (i32.const 8)))
    (i32.add (local.get $len) (i32.const 1)))";

std::string with_table(std::string module) {
    const std::string none = R"((@custom "__voyd_effect_table" ""))";
    module.replace(module.find(none), none.size(),
                   R"((@custom "__voyd_effect_table" "\02\00\00\00\00\00\00\00"))");
    return module;
}

TEST(SerialisedExports, are_called_with_a_frame_and_give_one) {
    WasmWorld world(with_table(serialised(echoes)));
    EXPECT_EQ(world.run("echo", {"h\xc3\xa9"}).value(), Value("h\xc3\xa9"));
    EXPECT_EQ(world.frames[0],
              "> 94020007919"
              "2a173a368c3a9");
    EXPECT_EQ(world.run("echo", {1}).error().message,
              "typed export echo arg0 expected String, got number");
    EXPECT_EQ(world.run("echo", {}).error().message, "typed export echo expected 1 args, got 0");
    const std::string large(200'000, 'x');
    EXPECT_EQ(world.run("echo", {large}).error().kind, ErrorKind::buffer_overflow);
}

// In the first generation the arguments are one list and the result is a bare value.
TEST(SerialisedExports, of_the_first_generation_take_a_list_and_give_a_bare_value) {
    const auto module = [](const char* format, const char* body) {
        return R"((module (@custom "__voyd_effect_table" "\02\00\00\00\00\00\00\00"))" +
               section("voyd.export_abi", std::string(R"({"version":1,"exports":[{"name":"last",
"abi":"serialized","formatId":")") + format + R"("},{"name":"plain","abi":"direct"}]})") +
               R"((memory (export "memory") 1)
        (func (export "plain") (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
        (func (export "last") (param $in i32) (param $len i32) (param $out i32) (param $cap i32) (result i32) )" +
               body + "))";
    };
    // Gives the list without its head and its first item, a number below 128.
    constexpr const char* gives_second = R"(
        (memory.copy (local.get $out) (i32.add (local.get $in) (i32.const 2))
                     (i32.sub (local.get $len) (i32.const 2)))
        (i32.sub (local.get $len) (i32.const 2)))";
    WasmWorld world(module("msgpack", gives_second));
    EXPECT_EQ(world.program->generation(), Generation::first);
    EXPECT_EQ(world.run("last", {1, "text"}).value(), Value("text"));
    EXPECT_EQ(world.frames, (Lines{"> 9201a474657874", "< a474657874"}));
    EXPECT_EQ(world.run("last", {1, 2.0}).value(), Value(2));
    EXPECT_EQ(world.run("plain", {4}).value(), Value(5));
    EXPECT_EQ(world.run("last", {1}).error().kind, ErrorKind::decode_failed);
    EXPECT_EQ(WasmWorld(module("msgpack", "(i32.const -1)")).run("last").error().kind,
              ErrorKind::buffer_overflow);
    EXPECT_EQ(WasmWorld(module("msgpack", "(i32.const 5000)")).run("last").error().kind,
              ErrorKind::buffer_overflow);
    EXPECT_THROW(WasmWorld(module("json", gives_second)), CompileError);
}

// A function that is called with WebAssembly's own types is checked by those of the module.
TEST(DirectExports, take_and_give_what_their_types_say) {
    WasmWorld world("(module " + section("voyd.export_abi", R"({"hostAbi":2,
"dtoSchemaAbi":1,"transport":{"id":"voyd.std.msgpack","version":1},"exports":[
{"id":1,"name":"not","abi":"direct","params":[{"kind":"bool"}],"result":{"kind":"bool"}},
{"id":2,"name":"wide","abi":"direct","params":[{"kind":"i64"}],"result":{"kind":"i64"}},
{"id":3,"name":"nothing","abi":"direct","params":[],"result":{"kind":"void"}}]})") +
                    R"((@custom "__voyd_effect_table" "\02\00\00\00\00\00\00\00")
        (memory (export "memory") 1)
        (func (export "not") (param i32) (result i32) (i32.eqz (local.get 0)))
        (func (export "wide") (param i64) (result i64) (i64.add (local.get 0) (i64.const 1)))
        (func (export "nothing"))))");
    EXPECT_EQ(world.run("not", {true}).value(), Value(false));
    EXPECT_EQ(world.run("not", {false}).value(), Value(true));
    EXPECT_EQ(world.run("wide", {9'007'199'254'740'993}).value(), Value(9'007'199'254'740'994));
    EXPECT_EQ(world.run("nothing").value(), Value());
    EXPECT_EQ(world.run("not", {1}).error().message,
              "typed export not arg0 expected bool, got number");
    EXPECT_EQ(world.run("wide", {1.5}).error().message,
              "typed export wide arg0 expected i64, got number");
    EXPECT_EQ(world.run("wide", {}).error().message, "typed export wide expected 1 args, got 0");
    EXPECT_TRUE(world.frames.empty());
}

TEST(SerialisedExports, that_lie_about_their_result_fail_the_run) {
    const auto kind = [](const char* body) {
        return WasmWorld(with_table(serialised(body))).run("echo", {"x"}).error().kind;
    };
    EXPECT_EQ(kind("(i32.const -1)"), ErrorKind::buffer_overflow);
    EXPECT_EQ(kind("(i32.const -2)"), ErrorKind::buffer_overflow);
    EXPECT_EQ(kind("(i32.const 131073)"), ErrorKind::buffer_overflow);
    EXPECT_EQ(kind("(i32.const 0)"), ErrorKind::decode_failed);
    EXPECT_EQ(kind("(i32.const 9)"), ErrorKind::decode_failed);
    EXPECT_EQ(kind("(unreachable)"), ErrorKind::trap);
}

}  // namespace
}  // namespace gyre::wasm
