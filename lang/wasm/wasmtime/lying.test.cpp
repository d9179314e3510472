// SPDX-License-Identifier: Apache-2.0
// Modules that break the protocol: in their sections, in their frames, in the types of their exports, and in what they do when
// they are called. Each ends in the outcome that says so, and nothing is left behind.
#include <gtest/gtest.h>

#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

using effect::resume;
using namespace std::chrono_literals;

constexpr const char* table =
    R"((@custom "__voyd_effect_table" "\02\00\00\00\01\00\00\00\01\00\00\00\02\00\00\00\00\00\00\00\00\00\00\00)"
    R"(\00\00\00\00\07\00\00\00\02\00\00\00e\00E.ask\00"))";
// {opIndex, resumeKind, handle, effectId, opId, args: []}
constexpr const char* request =
    R"(\86\a7opIndex\00\aaresumeKind\00\a6handle\00\a8effectId\d3\00\00\00\02\00\00\00\01\a4opId\00\a4args\90)";
constexpr int request_size = 60;

// A module of the first generation whose parts a test replaces.
struct Liar {
    std::string sections = table;
    std::string frame = request;
    std::string status = "(i32.const 1)";
    std::string length = "(i32.const " + std::to_string(request_size) + ")";
    std::string continuation = "(local.get 0)";
    std::string resumed = "(struct.new $result (i32.const 0))";
    std::string entry_type = "(result (ref null $result))";
    std::string entry = "(struct.new $result (i32.const 1))";
    std::string more = {};

    [[nodiscard]] std::string text() const {
        return "(module " + sections + R"( (type $result (struct (field i32)))
            (memory (export "memory") 1) (data $frame ")" +
               frame + R"(") (data $done "\07")
            (func (export "effect_status") (param (ref null $result)) (result i32)
                (if (i32.eqz (struct.get $result 0 (local.get 0))) (then (return (i32.const 0)))) )" +
               status + R"()
            (func (export "effect_len") (param (ref null $result)) (result i32)
                (if (i32.eqz (struct.get $result 0 (local.get 0))) (then (return (i32.const 1)))) )" +
               length + R"()
            (func (export "effect_cont") (param (ref null $result)) (result anyref) )" +
               continuation + R"()
            (func (export "main"))
            (func (export "main_effectful") (param i32 i32) )" +
               entry_type + R"(
                (memory.init $frame (local.get 0) (i32.const 0) (i32.const )" +
               std::to_string(request_size) + R"()) )" + entry + R"()
            (func (export "resume_effectful") (param anyref i32 i32 i32) (result (ref null $result))
                (memory.init $done (local.get 1) (i32.const 0) (i32.const 1)) )" +
               resumed + ") " + more + ")";
    }
};

RunOutcome<Value> outcome_of(const Liar& liar) {
    WasmWorld world(liar.text(), {.limits = {.time_max = 50ms, .is_preemptible = false}});
    world.world.handlers.on("e", "ask", effect::any_signature,
                            [](effect::Context&, const Arguments&) { return resume(1); });
    auto outcome = world.run();
    EXPECT_EQ(world.guest.instance_count(), 0u);
    return outcome;
}
ErrorKind kind_of(const Liar& liar) {
    const auto outcome = outcome_of(liar);
    EXPECT_EQ(outcome.kind(), RunEndKind::failed);
    return outcome.kind() == RunEndKind::failed ? outcome.error().kind : ErrorKind::task_limit;
}

TEST(LyingModule, the_honest_one_runs) {
    const auto outcome = outcome_of({});
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_EQ(outcome.value(), Value(7));
}

TEST(LyingModule, a_status_or_a_length_that_cannot_be_ends_the_run) {
    // clause: V24
    EXPECT_EQ(kind_of({.status = "(i32.const 5)"}), ErrorKind::invalid_status);
    EXPECT_EQ(kind_of({.status = "(i32.const -1)"}), ErrorKind::invalid_status);
    for (const char* length : {"0", "-1", "-2147483648", "2147483647", "4097"}) {
        EXPECT_EQ(kind_of({.length = "(i32.const " + std::string(length) + ")"}),
                  ErrorKind::buffer_overflow)
            << length;
    }
    EXPECT_EQ(kind_of({.length = "(i32.const 40)"}), ErrorKind::decode_failed);
    EXPECT_EQ(kind_of({.continuation = "(ref.null any)"}), ErrorKind::invalid_request);
}

TEST(LyingModule, a_request_that_the_effect_table_does_not_have_ends_the_run) {
    // clause: V24
    const auto with = [](const std::string& from, const std::string& to) {
        Liar liar;
        const std::size_t at = liar.frame.find(from);
        EXPECT_NE(at, std::string::npos);
        liar.frame.replace(at, from.size(), to);
        return kind_of(liar);
    };
    EXPECT_EQ(with(R"(opIndex\00)", R"(opIndex\05)"), ErrorKind::op_mismatch);
    EXPECT_EQ(with(R"(resumeKind\00)", R"(resumeKind\01)"), ErrorKind::op_mismatch);
    EXPECT_EQ(with(R"(opId\00)", R"(opId\09)"), ErrorKind::op_mismatch);
    EXPECT_EQ(with(R"(\02\00\00\00\01)", R"(\02\00\00\00\07)"), ErrorKind::op_mismatch);
    EXPECT_EQ(with(R"(args\90)", R"(args\c0)"), ErrorKind::decode_failed);
    EXPECT_EQ(with(R"(\a4args)", R"(\a4argz)"), ErrorKind::decode_failed);
    EXPECT_EQ(with(R"(args\90)", R"(args\df)"), ErrorKind::decode_failed);
}

TEST(LyingModule, exports_of_other_types_end_the_run) {
    EXPECT_EQ(kind_of({.entry_type = "(result i32)", .entry = "(i32.const 1)"}),
              ErrorKind::unknown_export);
    EXPECT_EQ(kind_of({.entry_type = "(result externref)", .entry = "(ref.null extern)"}),
              ErrorKind::unknown_export);
    Liar two = {.entry_type = "", .entry = ""};
    EXPECT_EQ(kind_of(two), ErrorKind::unknown_export);
    EXPECT_EQ(kind_of({.entry = "(ref.null $result)"}), ErrorKind::trap);
}

TEST(LyingModule, loops_and_traps_after_a_resume_end_the_run) {
    EXPECT_EQ(kind_of({.resumed = "(loop (br 0)) (unreachable)"}), ErrorKind::time_limit);
    EXPECT_EQ(kind_of({.resumed = "(unreachable)"}), ErrorKind::trap);
    EXPECT_EQ(kind_of({.status = "(loop (br 0)) (unreachable)"}), ErrorKind::time_limit);
}

// In a shared store nothing frees what a failed run has left.
TEST(LyingModule, references_are_given_back_after_traps_of_the_protocol) {
    const Liar liars[] = {
        {.status = "(unreachable)"},
        {.status = "(i32.const 5)"},
        {.length = "(unreachable)"},
        {.length = "(i32.const 0)"},
        {.continuation = "(unreachable)"},
        {.resumed = "(unreachable)"},
        {.status = "(unreachable)",
         .more = R"((func (export "init_effects") (param i32) (result anyref)
             (struct.new $result (i32.const 1))))"},
        {.entry_type = "(result (ref null $result) (ref null $result))",
         .entry = "(struct.new $result (i32.const 1)) (struct.new $result (i32.const 1))"},
    };
    for (Liar liar : liars) {
        liar.sections += R"((import "host" "see" (func $see)))";
        liar.more += R"((func $begin (call $see)) (start $begin)
            (func (export "two") (result anyref anyref)
                (struct.new $result (i32.const 1)) (struct.new $result (i32.const 1))))";
        Instance* instance = nullptr;
        GuestOptions options{.limits = {.is_preemptible = false}, .shares_store = true};
        options.imports = [&](effect::RunId) {
            std::vector<HostImport> made;
            made.push_back(
                {"host", "see",
                 [&](Instance& of, std::span<const Cell>, std::span<Cell>) { instance = &of; }});
            return made;
        };
        WasmWorld world(liar.text(), std::move(options));
        world.world.handlers.on("e", "ask", effect::any_signature,
                                [](effect::Context&, const Arguments&) { return resume(1); });
        EXPECT_EQ(world.run().kind(), RunEndKind::failed);
        ASSERT_NE(instance, nullptr);
        EXPECT_EQ(instance->ref_count(), 0u) << liar.text();
        EXPECT_EQ(world.run("two").kind(), RunEndKind::failed);
        EXPECT_EQ(instance->ref_count(), 0u);
    }
}

TEST(LyingModule, a_panic_has_its_own_text) {
    const std::string globals = R"((global (export "__voyd_panic_ptr") (mut i32) (i32.const 100))
        (global (export "__voyd_panic_len") (mut i32) (i32.const 5)) (data $text "sorry"))";
    const auto outcome = outcome_of(
        {.resumed = "(memory.init $text (i32.const 100) (i32.const 0) (i32.const 5)) (unreachable)",
         .more = globals});
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::panic);
    EXPECT_EQ(outcome.error().message, "sorry");
    const std::string outside =
        R"((global (export "__voyd_panic_ptr") (mut i32) (i32.const 2000000000))
        (global (export "__voyd_panic_len") (mut i32) (i32.const 2000000000)))";
    EXPECT_EQ(kind_of({.resumed = "(unreachable)", .more = outside}), ErrorKind::trap);
}

TEST(LyingModule, sections_that_lie_are_refused_before_anything_runs) {
    const auto refused = [](const std::string& sections) {
        try {
            static_cast<void>(
                Program::read(test_engine().compile(Liar{.sections = sections}.text())));
        } catch (const CompileError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const auto section = [](const std::string& name, const std::string& bytes) {
        return "(@custom \"" + name + "\" \"" + bytes + "\")";
    };
    EXPECT_EQ(refused(section("__voyd_effect_table", R"(\04\00\00\00\00\00\00\00)")),
              "Unsupported effect table version 4");
    EXPECT_NE(refused(section("__voyd_effect_table", R"(\02\00\00\00\ff\ff\ff\ff)")), "");
    EXPECT_NE(refused(section("__voyd_effect_table", R"(\02\00\00\00\01\00\00\00)")), "");
    EXPECT_NE(refused(section("__voyd_effect_table", R"(\02\00)")), "");
    EXPECT_NE(refused(section("voyd.export_abi", "{")), "");
    EXPECT_NE(refused(section("voyd.export_abi", R"({\22hostAbi\22:3})")).find("host ABI 3"),
              std::string::npos);
    EXPECT_EQ(refused(section("voyd.export_abi", R"({\22hostAbi\22:2})")),
              "Voyd module is missing host transport metadata");
    EXPECT_NE(refused(section(
                  "voyd.export_abi",
                  R"({\22hostAbi\22:2,\22dtoSchemaAbi\22:1,\22transport\22:{\22id\22:\22x\22}})")),
              "");
    EXPECT_NE(refused(section("voyd.effect_abi",
                              R"({\22version\22:1,\22ops\22:[{\22opIndex\22:\22x\22}]})"))
                  .find("is malformed"),
              std::string::npos);
    EXPECT_EQ(refused(std::string(table) + section("voyd.export_abi", R"({\22version\22:1})")), "");
}

TEST(LyingModule, imports_of_the_protocol_with_other_types_are_not_provided) {
    for (const char* type :
         {R"("cancel" (func (result i32)))", R"("take_value" (func (param i32)))",
          R"("spawn_attached__x" (func))"}) {
        WasmWorld world(std::string("(module (import \"voyd.task\" ") + type +
                        ") (func (export \"main\")))");
        EXPECT_NE(world.run().error().message.find("does not have"), std::string::npos) << type;
    }
}

}  // namespace
}  // namespace gyre::wasm
