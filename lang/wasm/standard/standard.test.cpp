// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/standard/standard.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "gyre/effect/effect_world.test.hpp"
#include "lang/wasm/detail/records.hpp"
#include "lang/wasm/fake_module.test.hpp"

namespace gyre::wasm {
namespace {

using effect::Arguments;
using effect::Lines;
using effect::OpInfo;
using effect::ResumeKind;
using effect::Value;
namespace script = effect::script;

constexpr NamedOp standard_ops[] = {
    {"voyd.std.time", "monotonic_now_millis"},
    {"voyd.std.time", "sleep_millis"},
    {"voyd.std.env", "get"},
    {"voyd.std.log", "emit"},
    {"voyd.std.random", "next_i64"},
    {"voyd.std.output", "write_op"},
    {"voyd.std.fs", "write_string"},
    {"voyd.std.fs", "read_string"},
    {"voyd.std.fs", "exists"},
    {"com.example", "other"},
    {"voyd.std.env", "set"},
    {"voyd.std.input", "read_line"},
    {"voyd.std.input", "read_bytes_op"},
    {"voyd.std.input", "is_tty_op"},
    {"voyd.std.random", "fill_bytes"},
    {"voyd.std.time", "system_now_millis"},
    {"voyd.std.output", "write_bytes_op"},
    {"voyd.std.output", "flush_op"},
    {"voyd.std.output", "is_tty_op"},
    {"voyd.std.random", "next_u64"},
    {"voyd.std.fs", "read_bytes"},
    {"voyd.std.fs", "write_bytes"},
    {"voyd.std.fs", "list_dir"},
    {"voyd.std.fs", "remove"},
    {"voyd.std.fs", "create_dir_all"},
    {"voyd.std.fs", "rename"},
    {"voyd.std.fs", "write_atomic"},
    {"voyd.std.fs", "create_exclusive"},
};
// Where the ops of the table are.
enum Place : std::size_t {
    sleep_millis = 1,
    random_fill = 14,
    system_now,
    write_bytes_op,
    flush_op,
    is_tty_op,
    next_u64,
    read_bytes,
    write_bytes,
    list_dir,
    remove_file,
    create_dir_all,
    rename_file,
    write_atomic,
    create_exclusive
};

struct StandardWorld {
    std::shared_ptr<const Program> program;
    effect::EffectWorld world;
    Lines written;
    Standard standard;
    effect::ScriptedGuest guest;

    explicit StandardWorld(StandardOptions options = {}, Generation generation = Generation::second)
        : program(program_with(standard_ops, generation)),
          standard(with_output(std::move(options))),
          guest(std::vector<OpInfo>(program->ops().begin(), program->ops().end())) {
        standard.add_to(world.handlers, *program);
    }
    StandardOptions with_output(StandardOptions options) {
        options.write = [this](std::string_view target, std::string_view bytes) {
            written.push_back(std::string(target) + " " + std::string(bytes));
        };
        return options;
    }
    // The answer to one request of the op with that place in the table.
    effect::RunOutcome<Value> ask(std::size_t op, Arguments arguments = {}) {
        const std::string entry = "entry" + std::to_string(++asked_);
        guest.add(entry, {script::perform(op, std::move(arguments)), script::give_last()});
        return world.run(guest, entry);
    }

private:
    int asked_ = 0;
};

TEST(StandardEffects, sleep_takes_its_time_and_the_clock_shows_it) {
    StandardWorld world;
    const std::int64_t before = world.ask(0).value().integer();
    EXPECT_EQ(world.ask(1, {250}).value().to_text(), R"({"ok": true, "code": 0, "message": ""})");
    EXPECT_EQ(world.ask(1, {-5}).value().field("ok")->boolean(), true);
    EXPECT_EQ(world.ask(0).value().integer() - before, 250);
}

TEST(StandardEffects, random_numbers_come_from_the_seed) {
    StandardWorld first({.seed = 7});
    StandardWorld second({.seed = 7});
    StandardWorld other({.seed = 8});
    const Value number = first.ask(4).value();
    EXPECT_EQ(second.ask(4).value(), number);
    EXPECT_NE(other.ask(4).value(), number);
}

TEST(StandardEffects, output_and_log_are_written) {
    StandardWorld world;
    EXPECT_TRUE(world.ask(5, {record({{"value", "hello\n"}, {"target", "stdout"}})}).has_value());
    Value field = record({{"key", "n"}, {"value", record({{"tag", "LogInt"}, {"value", 3}})}});
    EXPECT_TRUE(world
                    .ask(3, {record({{"level", "info"},
                                     {"message", "here"},
                                     {"fields", Value(Value::List{field})}})})
                    .has_value());
    EXPECT_EQ(world.written, (Lines{"stdout hello\n", "stderr [info] here n=3\n"}));
    EXPECT_EQ(world.ask(5, {record({{"value", "x"}, {"target", "else"}})}).kind(),
              effect::RunEndKind::failed);
}

TEST(StandardEffects, what_reaches_the_outside_is_refused_unless_it_is_permitted) {
    StandardWorld world({.allowed = {"env=GYRE_TEST_NOT_SET"}});
    EXPECT_EQ(world.ask(2, {"GYRE_TEST_NOT_SET"}).value().to_text(),
              R"({"found": false, "value": ""})");
    const auto refused = world.ask(2, {"HOME"});
    ASSERT_EQ(refused.kind(), effect::RunEndKind::failed);
    EXPECT_NE(refused.error().message.find("--allow env=HOME"), std::string::npos);
    const Value file = world.ask(7, {"/etc/passwd"}).value();
    EXPECT_FALSE(file.field("ok")->boolean());
    EXPECT_EQ(file.field("error_kind")->text(), "permission-denied");
    EXPECT_EQ(world.ask(8, {"/etc/passwd"}).value(), Value(false));
    EXPECT_TRUE(Standard::needs_permission(world.program->ops()[6]));
    EXPECT_FALSE(Standard::needs_permission(world.program->ops()[0]));
}

TEST(StandardEffects, files_are_read_and_written_inside_of_a_permitted_folder) {
    StandardWorld world({.allowed = {"fs=/data"}});
    world.world.platform.put_file("/data/a.txt", "text");
    world.world.platform.put_file("/other/b.txt", "secret");
    EXPECT_EQ(world.ask(7, {"/data/a.txt"}).value().field("value")->text(), "text");
    EXPECT_EQ(world.ask(7, {"a.txt"}).value().field("value")->text(), "text");
    EXPECT_TRUE(world.ask(6, {record({{"path", "/data/c.txt"}, {"value", "new"}})})
                    .value()
                    .field("ok")
                    ->boolean());
    EXPECT_EQ(world.world.platform.file_content("/data/c.txt"), "new");
    EXPECT_EQ(world.ask(7, {"/data/none"}).value().field("error_kind")->text(), "not-found");
    world.world.platform.put_file("/data/latin1", "\xe9");
    EXPECT_NE(world.ask(7, {"/data/latin1"}).value().field("error_message")->text().find("UTF-8"),
              std::string::npos);
    for (const char* path :
         {"/other/b.txt", "/data/../other/b.txt", "../other/b.txt", "/database"}) {
        EXPECT_EQ(world.ask(7, {path}).value().field("error_kind")->text(), "permission-denied")
            << path;
    }
}

TEST(StandardEffects, a_long_sleep_takes_all_of_its_time) {
    StandardWorld world;
    // More than a timer of 32 bits holds, which the reference host sleeps in parts.
    constexpr std::int64_t long_ms = 3 * std::int64_t{2'147'483'647};
    const std::int64_t before = world.ask(0).value().integer();
    EXPECT_TRUE(world.ask(sleep_millis, {long_ms}).value().field("ok")->boolean());
    EXPECT_EQ(world.ask(0).value().integer() - before, long_ms);
    // The longest i64 does not overflow: it waits, and the run can be cancelled.
    world.guest.add("sleeps", {script::perform(sleep_millis, {INT64_MAX}), script::give_last()});
    auto run = world.world.scheduler.start(world.guest, world.world.handlers, "sleeps");
    world.world.loop.turn();
    EXPECT_FALSE(run.is_terminal());
    EXPECT_TRUE(run.cancel("enough"));
    EXPECT_EQ(world.ask(sleep_millis, {INT64_MIN}).value().field("ok")->boolean(), true);
    EXPECT_EQ(world.ask(sleep_millis, {"soon"}).kind(), effect::RunEndKind::failed);
}

TEST(StandardEffects, random_bytes_are_as_many_as_asked_for_up_to_their_limit) {
    StandardWorld world;
    const auto count = [&](std::int64_t size) {
        return world.ask(random_fill, {size}).value().bytes().size();
    };
    EXPECT_EQ(count(0), 0u);
    EXPECT_EQ(count(1'000'000), 1'000'000u);
    const auto refused = world.ask(random_fill, {1'000'001});
    ASSERT_EQ(refused.kind(), effect::RunEndKind::failed);
    EXPECT_NE(refused.error().message.find("random_bytes_max (1000000)"), std::string::npos);
    EXPECT_EQ(world.ask(random_fill, {-1}).kind(), effect::RunEndKind::failed);
    EXPECT_EQ(world.ask(random_fill, {"x"}).kind(), effect::RunEndKind::failed);
    EXPECT_TRUE(world.ask(next_u64).value().is(Value::Kind::integer));
}

TEST(StandardEffects, output_takes_bytes_and_is_no_terminal) {
    StandardWorld world;
    const Value bytes(Value::Blob{std::byte{0xff}, std::byte{'x'}});
    const char* const fine = R"({"ok": true, "code": 0, "message": ""})";
    EXPECT_EQ(world.ask(write_bytes_op, {record({{"bytes", bytes}, {"target", "stderr"}})})
                  .value()
                  .to_text(),
              fine);
    EXPECT_EQ(world.ask(flush_op, {record({{"target", "stdout"}})}).value().to_text(), fine);
    EXPECT_EQ(world.ask(is_tty_op, {record({{"target", "stdout"}})}).value(), Value(false));
    EXPECT_EQ(world.written, (Lines{"stderr \xffx"}));
    EXPECT_EQ(world.ask(write_bytes_op, {record({{"bytes", "x"}, {"target", "stdout"}})}).kind(),
              effect::RunEndKind::failed);
    EXPECT_GT(world.ask(system_now).value().integer(), -1);
}

TEST(StandardEffects, every_op_of_files_answers_with_a_result) {
    StandardWorld world({.allowed = {"fs=/data"}});
    world.world.platform.put_file("/data/a.txt", "text");
    const auto kind = [&](std::size_t op, Value request) {
        const Value answer = world.ask(op, {std::move(request)}).value();
        return answer.field("ok")->boolean() ? std::string("ok")
                                             : answer.field("error_kind")->text();
    };
    const Value bytes(Value::Blob{std::byte{1}});
    EXPECT_EQ(kind(write_bytes, record({{"path", "b"}, {"bytes", bytes}})), "ok");
    EXPECT_EQ(world.ask(read_bytes, {"b"}).value().to_text(), record({{"ok", true},
                                                                      {"value", bytes},
                                                                      {"error_kind", "other"},
                                                                      {"error_code", 0},
                                                                      {"error_message", ""}})
                                                                  .to_text());
    EXPECT_EQ(kind(create_dir_all, "deep/er"), "ok");
    EXPECT_EQ(kind(rename_file, record({{"from", "b"}, {"to", "deep/c"}})), "ok");
    EXPECT_EQ(kind(list_dir, "deep"), "ok");
    EXPECT_EQ(kind(remove_file, "deep/c"), "ok");
    EXPECT_EQ(kind(remove_file, "deep/c"), "not-found");
    const Value whole = record({{"path", "w"}, {"kind", "string"}, {"value", "all"}});
    EXPECT_EQ(kind(create_exclusive, whole), "ok");
    EXPECT_EQ(kind(create_exclusive, whole), "already-exists");
    EXPECT_EQ(kind(write_atomic, whole), "ok");
    const Value missing = world.ask(read_bytes, {"none"}).value();
    EXPECT_EQ(missing.field("error_code")->integer(), -2);  // ENOENT
    EXPECT_EQ(missing.field("value")->to_text(), Value(Value::Blob{}).to_text());
    for (const std::size_t op : {list_dir, remove_file, create_dir_all}) {
        EXPECT_EQ(kind(op, "/etc"), "permission-denied");
    }
    EXPECT_EQ(kind(rename_file, record({{"from", "w"}, {"to", "../out"}})), "permission-denied");
    const Value odd = record({{"path", "w"}, {"kind", "image"}, {"value", "all"}});
    EXPECT_EQ(world.ask(write_atomic, {odd}).kind(), effect::RunEndKind::failed);
    EXPECT_EQ(world.ask(write_bytes, {record({{"path", "w"}})}).kind(), effect::RunEndKind::failed);
}

// Its records have fewer fields, its bytes are lists, and a variable is its text or nothing.
TEST(StandardEffects, of_the_first_generation_have_its_shapes) {
    StandardWorld world({.allowed = {"fs=/data", "env=GYRE_TEST_SET"}}, Generation::first);
    world.world.platform.put_file("/data/a", "\x01\xff");
    EXPECT_EQ(world.ask(sleep_millis, {250}).value().to_text(), R"({"ok": true})");
    EXPECT_EQ(world.ask(2, {"GYRE_TEST_SET"}).value(), Value());
    const Value variable = record({{"key", "GYRE_TEST_SET"}, {"value", "1"}});
    EXPECT_EQ(world.ask(10, {variable}).value().to_text(), R"({"ok": true})");
    EXPECT_EQ(world.ask(2, {"GYRE_TEST_SET"}).value(), Value("1"));
    const Value refused = world.ask(10, {record({{"key", "PATH"}, {"value", "1"}})}).value();
    EXPECT_EQ(refused.field("code")->integer(), 1);
    EXPECT_EQ(refused.record().size(), 3u);
    EXPECT_EQ(world.ask(read_bytes, {"a"}).value().to_text(), R"({"ok": true, "value": [1, 255]})");
    const Value numbers(Value::List{104, 256 + 105, -1, 33.0, "x"});
    EXPECT_EQ(
        world.ask(write_bytes, {record({{"path", "b"}, {"bytes", numbers}})}).value().to_text(),
        R"({"ok": true})");
    EXPECT_EQ(world.world.platform.file_content("/data/b"), std::string("hi\xff!\0", 5));
    EXPECT_EQ(world.ask(7, {"none"}).value().field("code")->integer(), -2);
    EXPECT_EQ(world.ask(8, {"a"}).value(), Value(true));
    EXPECT_EQ(world.ask(random_fill, {3}).value().list().size(), 3u);
    EXPECT_EQ(world.ask(random_fill, {-3}).value().list().size(), 0u);
    EXPECT_EQ(world.ask(random_fill, {2'000'000}).value().list().size(), 1'000'000u);
    const Value event =
        record({{"level", "info"},
                {"message", "m"},
                {"fields", Value(Value::List{record({{"key", "n"}, {"value", 3}})})}});
    EXPECT_EQ(world.ask(3, {event}).value(), Value());
    EXPECT_EQ(world.written, (Lines{"stderr [info] m n=3\n"}));
}

// It names its effects after their modules.
TEST(StandardEffects, of_the_first_generation_have_its_names) {
    constexpr NamedOp ops[] = {{"std::env::Env", "get"},
                               {"std::fs::Fs", "exists"},
                               {"std::log::Log", "emit"},
                               {"std::random::Random", "next_i64"},
                               {"std::time::Time", "monotonic_now_millis"},
                               {"std::task::Task", "get"}};
    const auto program = program_with(ops, Generation::first);
    Standard standard;
    effect::Handlers handlers;
    standard.add_to(handlers, *program);
    EXPECT_EQ(handlers.size(), std::size(ops) - 1);
    EXPECT_FALSE(Standard::has(program->ops()[5]));
    EXPECT_TRUE(Standard::needs_permission(program->ops()[0]));
    EXPECT_TRUE(Standard::needs_permission(program->ops()[1]));
    EXPECT_FALSE(Standard::needs_permission(program->ops()[4]));
}

// Standard input in pieces.
StandardOptions with_input(std::vector<std::string> pieces) {
    auto left = std::make_shared<std::vector<std::string>>(std::move(pieces));
    StandardOptions options;
    options.read_input = [left](std::size_t size_max) -> Future<std::string> {
        co_await sleep(std::chrono::milliseconds(1));
        if (left->empty()) co_return "";
        std::string piece = left->front();
        EXPECT_LE(piece.size(), size_max);
        left->erase(left->begin());
        co_return piece;
    };
    return options;
}

TEST(StandardEffects, a_variable_that_a_module_sets_is_its_own) {
    StandardWorld world({.allowed = {"env=GYRE_TEST_SET"}});
    const auto set = [&](const char* name, Value value) {
        return world.ask(10, {record({{"key", name}, {"value", std::move(value)}})});
    };
    EXPECT_EQ(set("GYRE_TEST_SET", "1").value().to_text(),
              R"({"ok": true, "code": 0, "message": ""})");
    EXPECT_EQ(world.ask(2, {"GYRE_TEST_SET"}).value().to_text(),
              R"({"found": true, "value": "1"})");
    EXPECT_EQ(std::getenv("GYRE_TEST_SET"), nullptr);
    const Value refused = set("PATH", "x").value();
    EXPECT_FALSE(refused.field("ok")->boolean());
    EXPECT_NE(refused.field("message")->text().find("--allow env=PATH"), std::string::npos);
    const Value large = set("GYRE_TEST_SET", std::string(65'537, 'x')).value();
    EXPECT_NE(large.field("message")->text().find("variable_size_max_bytes"), std::string::npos);
    EXPECT_EQ(set("GYRE_TEST_SET", 7).kind(), effect::RunEndKind::failed);
}

TEST(StandardEffects, input_is_read_by_lines_and_by_bytes_until_its_end) {
    StandardWorld world(with_input({"first\nsec", "ond\r\nrest", "\nlast"}));
    const auto line = [&](Value request) {
        const Value got = world.ask(11, {std::move(request)}).value();
        return got.field("found")->boolean() ? got.field("value")->text() : "the end";
    };
    EXPECT_EQ(line(record({{"prompt", "name? "}})), "first");
    EXPECT_EQ(world.written, (Lines{"stdout name? "}));
    EXPECT_EQ(line(record({{"prompt", Value()}})), "second");
    const Value bytes = world.ask(12, {record({{"max_bytes", 2}})}).value();
    EXPECT_EQ(bytes.field("value")->to_text(),
              Value(Value::Blob{std::byte{'r'}, std::byte{'e'}}).to_text());
    EXPECT_EQ(line(record({})), "st");
    EXPECT_EQ(line(record({})), "last");
    EXPECT_EQ(line(record({})), "the end");
    EXPECT_FALSE(world.ask(12, {record({{"max_bytes", 2}})}).value().field("found")->boolean());
    EXPECT_TRUE(world.ask(12, {record({{"max_bytes", 0}})}).value().field("found")->boolean());
    EXPECT_EQ(world.ask(13).value(), Value(false));
}

TEST(StandardEffects, input_that_is_no_line_of_text_is_an_error_of_the_effect) {
    StandardWorld broken(with_input({"\xff\n", "fine\n"}));
    const Value refused = broken.ask(11, {record({})}).value();
    EXPECT_FALSE(refused.field("ok")->boolean());
    EXPECT_NE(refused.field("message")->text().find("UTF-8"), std::string::npos);
    EXPECT_EQ(broken.ask(11, {record({})}).value().field("value")->text(), "fine");
    StandardWorld endless(with_input(std::vector<std::string>(70, std::string(16'384, 'x'))));
    const Value large = endless.ask(11, {record({})}).value();
    EXPECT_NE(large.field("message")->text().find("line_max_bytes"), std::string::npos);
    StandardWorld simulated;  // has no standard input
    EXPECT_EQ(simulated.ask(11, {record({})}).value().field("code")->integer(), 1);
}

TEST(StandardEffects, two_runs_that_read_input_get_a_line_each) {
    StandardWorld world(with_input({"one\ntw", "o\n"}));
    world.guest.add("reads", {script::perform(11, {record({})}), script::give_last()});
    auto first = world.world.scheduler.start(world.guest, world.world.handlers, "reads");
    auto second = world.world.scheduler.start(world.guest, world.world.handlers, "reads");
    static_cast<void>(world.world.loop.run());
    EXPECT_EQ(first.outcome().value().field("value")->text(), "one");
    EXPECT_EQ(second.outcome().value().field("value")->text(), "two");
}

TEST(StandardEffects, a_handler_that_is_there_is_not_replaced_and_others_have_none) {
    StandardWorld world;
    EXPECT_EQ(world.ask(9).error().kind, effect::ErrorKind::unhandled_effect);
    effect::Handlers handlers;
    handlers.on("voyd.std.time", "sleep_millis", effect::any_signature,
                [](effect::Context&, const Arguments&) { return effect::tail(1); });
    world.standard.add_to(handlers, *world.program);
    EXPECT_EQ(handlers.size(), std::size(standard_ops) - 1);
}

}  // namespace
}  // namespace gyre::wasm
