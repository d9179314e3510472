// SPDX-License-Identifier: Apache-2.0
// The places of the host protocol that are easily got wrong: sections, schemas and frames, without an engine.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "gyre/effect/handlers.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/fake_module.test.hpp"
#include "lang/wasm/internal/effect_table.hpp"
#include "lang/wasm/internal/frames.hpp"
#include "lang/wasm/internal/schema.hpp"

namespace gyre::wasm {
namespace {

using effect::Arguments;
using effect::ErrorKind;
using effect::MessagePackWriter;
using effect::Value;

std::shared_ptr<const Program> program_of(const std::string& sections) {
    return Program::read(std::make_shared<FakeModule>(module_head() + sections));
}
std::string refusal_of(const std::string& sections) {
    try {
        static_cast<void>(program_of(sections));
    } catch (const CompileError& error) {
        return error.what();
    }
    return "";
}
std::string table_section(const std::string& table) {
    return custom_section("__voyd_effect_table", table);
}
std::string words(std::initializer_list<std::uint32_t> numbers) {
    std::string bytes;
    for (const std::uint32_t number : numbers) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            bytes += static_cast<char>(number >> shift);
        }
    }
    return bytes;
}

TEST(WireGeneration, is_told_by_the_sections_and_never_guessed) {
    const auto generation = [](const std::string& sections) {
        return program_of(sections)->generation();
    };
    const std::string table = table_section(small_table());
    EXPECT_EQ(generation(""), Generation::plain);
    EXPECT_EQ(generation(table), Generation::first);
    EXPECT_EQ(generation(table + custom_section("voyd.export_abi", R"({"version":1})")),
              Generation::first);
    const auto abi = [](const std::string& host, const std::string& schema, const std::string& id,
                        const std::string& version) {
        return custom_section("voyd.export_abi", R"({"hostAbi":)" + host + R"(,"dtoSchemaAbi":)" +
                                                     schema + R"(,"transport":{"id":")" + id +
                                                     R"(","version":)" + version + "}}");
    };
    EXPECT_EQ(generation(table + abi("2", "1", "voyd.std.msgpack", "1")), Generation::second);
    EXPECT_EQ(refusal_of(table + abi("1", "1", "voyd.std.msgpack", "1")),
              "the module has host ABI 1: 2 is known");
    EXPECT_EQ(refusal_of(table + abi("2", "2", "voyd.std.msgpack", "1")),
              "the module has DTO schema ABI 2: 1 is known");
    EXPECT_NE(refusal_of(table + abi("2", "1", "voyd.std.json", "1")).find("transport"),
              std::string::npos);
    EXPECT_NE(refusal_of(table + abi("2", "1", "voyd.std.msgpack", "2")).find("transport"),
              std::string::npos);
    EXPECT_NE(refusal_of(table + abi("\"2\"", "1", "voyd.std.msgpack", "1")), "");
    EXPECT_NE(refusal_of(table + custom_section("voyd.effect_abi", R"({"version":2})")), "");
    EXPECT_NE(refusal_of(table + custom_section("voyd.external_requirements",
                                                R"({"version":2,"functions":[{}]})")),
              "");
}

TEST(WireSections, of_one_name_count_once_the_first_of_them) {
    const std::string broken = table_section(words({9, 0}));
    EXPECT_EQ(program_of(table_section(small_table()) + broken)->ops().size(), 1u);
    EXPECT_EQ(refusal_of(broken + table_section(small_table())),
              "Unsupported effect table version 9");
}

TEST(EffectTable, bounds_the_names_that_many_ops_share) {
    // A section of 180 KB would make 400 MB of names.
    const std::string name = std::string(100'000, 'n') + '\0';
    const auto table = [&name](std::uint32_t count) {
        std::string entries;
        for (std::uint32_t i = 0; i < count; ++i) entries += words({1, 2, 0, i, 0, 7, 0});
        return words({2, count}) + entries + name;
    };
    EXPECT_EQ(read_effect_table(table(20)).ops.size(), 20u);
    try {
        static_cast<void>(read_effect_table(table(2'000)));
        ADD_FAILURE() << "no limit";
    } catch (const CompileError& error) {
        EXPECT_NE(std::string(error.what()).find("effect_names_size_max_bytes"), std::string::npos);
    }
}

TEST(EffectTable, has_two_versions_and_two_kinds_of_answers) {
    const std::string names("e\0a.b::E.ask\0op\0", 16);
    const auto entry = [](std::uint32_t kind) { return words({1, 0x8000'0000, 0, 4, kind, 7, 2}); };
    const EffectTable second = read_effect_table(words({2, 1}) + entry(1) + names);
    ASSERT_EQ(second.ops.size(), 1u);
    EXPECT_EQ(second.ops[0].effect_hash, 0x8000'0000'0000'0001u);
    EXPECT_EQ(second.ops[0].name, "ask");  // after the last dot
    EXPECT_EQ(second.ops[0].kind, effect::ResumeKind::tail);
    EXPECT_EQ(second.ops[0].op_id, 4u);
    const EffectTable third = read_effect_table(words({3, 1}) + entry(0) + words({13}) + names);
    EXPECT_EQ(third.ops.at(0).operation_id, "op");
    EXPECT_EQ(third.ops.at(0).kind, effect::ResumeKind::resume);
    EXPECT_EQ(read_effect_table(words({2, 0})).ops.size(), 0u);  // a pure module has a table too
    EXPECT_THROW(static_cast<void>(read_effect_table(words({2, 1}) + entry(2) + names)),
                 CompileError);
    EXPECT_THROW(static_cast<void>(read_effect_table(words({1, 0}))), CompileError);
    EXPECT_THROW(static_cast<void>(read_effect_table(words({2, 65'537}))), CompileError);
}

// A generic op has several entries that differ in their signature alone.
TEST(EffectTable, a_generic_op_has_a_handler_for_each_signature) {
    const auto program =
        program_of(table_section(words({2, 2}) + words({1, 2, 0, 0, 0, 7, 2}) +
                                 words({1, 2, 0, 0, 0, 8, 2}) + std::string("e\0E.ask\0", 8)));
    effect::Handlers handlers;
    handlers.on("e", "ask", 8, [](effect::Context&, const Arguments&) { return effect::resume(); });
    EXPECT_EQ(handlers.find(program->ops()[0]), nullptr);
    EXPECT_TRUE(handlers.has_other_signature(program->ops()[0]));
    EXPECT_NE(handlers.find(program->ops()[1]), nullptr);
}

std::unique_ptr<Schema> schema_of(const char* json) {
    return Schema::read(nlohmann::json::parse(json));
}
template <class F>
std::optional<ErrorKind> kind_of(F work) {
    try {
        static_cast<void>(work());
    } catch (const effect::ProtocolError& error) {
        return error.kind();
    }
    return std::nullopt;
}
Value record(Value::Record fields) {
    return Value(std::move(fields));
}

// The same limits hold where a frame is read: the largest text and the largest collection of the protocol fit.
TEST(CompletionFrame, has_room_for_the_largest_values) {
    constexpr std::size_t buffer_max = (std::size_t{16} << 20u) + 65'536;
    const auto read = [&](const char* kind, const Value& value) {
        const auto schema = schema_of(kind);
        std::string frame = "\x94\x02\x01\x07\x92";
        frame += std::string_view(
            "\0\x92\xa1"
            "f",
            4);
        MessagePackWriter writer(frame);
        writer.value(value);
        return kind_of([&] {
            return read_completion(frame, FrameTag::export_completion, 7, schema.get(), "main",
                                   frame_limits(buffer_max));
        });
    };
    constexpr const char* text = R"({"kind":"string","fingerprint":"f"})";
    constexpr const char* list = R"({"kind":"array","fingerprint":"f","element":{"kind":"bool"}})";
    EXPECT_EQ(read(text, std::string(16'777'216, 'x')), std::nullopt);
    EXPECT_EQ(read(text, std::string(16'777'217, 'x')), ErrorKind::decode_failed);
    EXPECT_EQ(read(text, std::string(17'000'000, 'x')), ErrorKind::decode_failed);
    EXPECT_EQ(read(list, Value(Value::List(1'048'576, Value(true)))), std::nullopt);
    EXPECT_EQ(read(list, Value(Value::List(1'048'577, Value(true)))), ErrorKind::decode_failed);
    EXPECT_EQ(read(list, Value(Value::List(1'060'000, Value(true)))), ErrorKind::decode_failed);
}

// Two functions, two ops and the types of the first one; export ids and signatures have their highest bit set.
std::shared_ptr<const Program> framed_program() {
    const std::string table = words({2, 2}) + words({1, 2, 0, 3, 0, 0x8000'0007, 2}) +
                              words({1, 0x8000'0002, 0, 4, 1, 8, 2}) + std::string("e\0E.ask\0", 8);
    return program_of(
        table_section(table) +
        custom_section(
            "voyd.effect_abi",
            R"({"version":1,"ops":[{"opIndex":0,"params":[{"kind":"i32","fingerprint":"f"}],
                           "result":{"kind":"i32","fingerprint":"r"}}]})"));
}
struct Request {
    int size = 9;
    std::int64_t version = 2;
    std::int64_t tag = 2;
    std::int64_t id = 0;
    std::string effect = "e";
    std::int64_t op = 3;
    std::int64_t signature = static_cast<std::int32_t>(0x8000'0007);
    std::int64_t kind = 0;
    std::size_t count = 1;
    std::string fingerprint = "f";
    std::string result = "r";
    std::string more = {};

    [[nodiscard]] std::string frame() const {
        std::string out;
        MessagePackWriter writer(out);
        writer.list(static_cast<std::size_t>(size));
        for (const std::int64_t number : {version, tag, id}) writer.integer(number);
        writer.text(effect);
        for (const std::int64_t number : {op, signature, kind}) writer.integer(number);
        writer.list(count);
        for (std::size_t i = 0; i < count; ++i) {
            writer.list(2);
            writer.text(fingerprint);
            writer.integer(5);
        }
        writer.text(result);
        return out + more;
    }
};

TEST(RequestFrame, names_an_op_by_its_index_and_all_else_must_agree) {
    // clause: V24
    const auto program = framed_program();
    const auto kind = [&](const Request& request) {
        return kind_of([&] { return read_request(*program, request.frame(), {}); });
    };
    const std::string honest = Request{}.frame();
    const EffectRequest read = read_request(*program, honest, {});
    EXPECT_EQ(read.op_index, 0u);
    EXPECT_EQ(read.arguments, (Arguments{5}));
    EXPECT_EQ(read.result_fingerprint, "r");
    EXPECT_EQ(kind({.signature = 0x8000'0007}), std::nullopt);  // unsigned is the same
    for (const Request& lie : {Request{.id = 1},
                               {.id = 2},
                               {.id = -1},
                               {.effect = "x"},
                               {.op = 4},
                               {.signature = 7},
                               {.kind = 1}}) {
        EXPECT_EQ(kind(lie), ErrorKind::op_mismatch);
    }
    for (const Request& lie : {Request{.size = 8},
                               {.version = 1},
                               {.tag = 1},
                               {.count = 0},
                               {.count = 2},
                               {.fingerprint = "x"},
                               {.result = "x"},
                               {.more = "\x01"}}) {
        EXPECT_EQ(kind(lie), ErrorKind::decode_failed);
    }
}

std::string completion(std::int64_t tag, std::int64_t id, const char* fingerprint = "f") {
    std::string out;
    MessagePackWriter writer(out);
    writer.list(4);
    for (const std::int64_t number : {std::int64_t{2}, tag, id}) writer.integer(number);
    writer.list(2);
    writer.integer(0);
    writer.list(2);
    writer.text(fingerprint);
    writer.integer(7);
    return out;
}

TEST(CompletionFrame, must_be_of_the_same_call_and_type) {
    const auto schema = schema_of(R"({"kind":"i32","fingerprint":"f"})");
    constexpr std::uint32_t id = 0x9548'7104;  // arrives signed
    const auto read = [&](const std::string& frame) {
        return read_completion(frame, FrameTag::export_completion, id, schema.get(), "main", {});
    };
    EXPECT_EQ(read(completion(1, static_cast<std::int32_t>(id))), Value(7));
    EXPECT_EQ(read(completion(1, id)), Value(7));
    for (const std::string& lie :
         {completion(5, id), completion(1, id + 1), completion(1, id, "x"),
          completion(1, id) + "\x01", completion(1, id).substr(0, 9), std::string()}) {
        EXPECT_EQ(kind_of([&] { return read(lie); }), ErrorKind::decode_failed);
    }
}

TEST(BareValue, is_written_as_the_reference_host_writes_it) {
    using namespace std::string_literals;
    const auto bare_of = [](const Value& value, bool is_wide = false) {
        std::string out;
        write_bare_value(out, value, is_wide);
        return out;
    };
    EXPECT_EQ(bare_of(5), "\x05");
    EXPECT_EQ(bare_of(5, true), "\xcf\0\0\0\0\0\0\0\x05"s);  // an i64
    EXPECT_EQ(bare_of(-5, true), "\xd3\xff\xff\xff\xff\xff\xff\xff\xfb"s);
    EXPECT_EQ(bare_of(Value(Value::List{2.0, 2.5})), "\x92\x02\xcb\x40\x04\0\0\0\0\0\0"s);
    EXPECT_EQ(bare_of(record({{"a", 4'294'967'296.0}})),
              "\x81\xa1"
              "a\xcb\x41\xf0\0\0\0\0\0\0"s);
    std::string arguments;
    write_bare_arguments(arguments, {1, "x", 3.0});
    EXPECT_EQ(arguments, "\x93\x01\xa1x\x03");
}

// A request of the first generation: a map whose keys come in any order.
std::string bare(const std::vector<std::pair<const char*, std::int64_t>>& fields,
                 bool args_first = false) {
    std::string out;
    MessagePackWriter writer(out);
    writer.record(fields.size() + 1);
    const auto arguments = [&] {
        writer.text("args");
        writer.list(1);
        writer.integer(5);
    };
    if (args_first) arguments();
    for (const auto& [name, number] : fields) {
        writer.text(name);
        writer.integer(number);
    }
    if (!args_first) arguments();
    return out;
}

TEST(BareRequest, is_found_by_its_handle_or_else_by_its_index) {
    const auto program = framed_program();
    const auto hash = static_cast<std::int64_t>(0x8000'0002'0000'0001);  // negative
    const auto read = [&](const std::string& payload) {
        return read_bare_request(*program, payload, {});
    };
    const EffectRequest request = read(bare(
        {{"handle", 1}, {"opIndex", 1}, {"effectId", hash}, {"resumeKind", 1}, {"opId", 4}}, true));
    EXPECT_EQ(request.op_index, 1u);
    EXPECT_EQ(request.arguments, (Arguments{5}));
    // A handle that is out of range: the index counts.
    EXPECT_EQ(read(bare({{"effectId", hash},
                         {"opId", 4},
                         {"opIndex", 1},
                         {"resumeKind", 1},
                         {"handle", 99}}))
                  .op_index,
              1u);
    const auto kind = [&](const std::string& payload) {
        return kind_of([&] { return read(payload); });
    };
    EXPECT_EQ(
        kind(bare(
            {{"effectId", hash}, {"opId", 4}, {"opIndex", 1}, {"resumeKind", 1}, {"handle", 0}})),
        ErrorKind::op_mismatch);
    EXPECT_EQ(
        kind(
            bare({{"effectId", 1}, {"opId", 4}, {"opIndex", 1}, {"resumeKind", 1}, {"handle", 1}})),
        ErrorKind::op_mismatch);
    EXPECT_EQ(kind(bare({{"effectId", hash}, {"opId", 4}, {"opIndex", 1}, {"handle", 1}})),
              ErrorKind::decode_failed);
}

}  // namespace
}  // namespace gyre::wasm
