// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/standard/standard.hpp"

#include <gtest/gtest.h>

#include <map>

#include "gyre/effect/effect_world.test.hpp"
#include "lang/wasm/fake_module.test.hpp"

namespace gyre::wasm {
namespace {

using effect::Arguments;
using effect::Lines;
using effect::OpInfo;
using effect::ResumeKind;
using effect::Value;
namespace script = effect::script;

struct Named {
    const char* effect;
    const char* op;
};
constexpr Named standard_ops[] = {
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
};

std::shared_ptr<const Program> make_program() {
    std::string entries;
    std::string names;
    const auto word = [](std::string& to, std::size_t number) {
        for (unsigned shift = 0; shift < 32; shift += 8) to += static_cast<char>(number >> shift);
    };
    for (const Named& one : standard_ops) {
        const std::size_t effect_at = names.size();
        names += std::string(one.effect) + '\0';
        const std::size_t label_at = names.size();
        names += "E." + std::string(one.op) + '\0';
        for (const std::size_t number : {std::size_t{1}, std::size_t{2}, effect_at, std::size_t{0},
                                         std::size_t{1}, std::size_t{3}, label_at}) {
            word(entries, number);
        }
    }
    std::string table;
    word(table, 2);
    word(table, std::size(standard_ops));
    return Program::read(std::make_shared<FakeModule>(
        module_head() + custom_section("__voyd_effect_table", table + entries + names)));
}

struct StandardWorld {
    std::shared_ptr<const Program> program = make_program();
    effect::EffectWorld world;
    Lines written;
    Standard standard;
    effect::ScriptedGuest guest;

    explicit StandardWorld(StandardOptions options = {})
        : standard(with_output(std::move(options))),
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

Value record(std::initializer_list<std::pair<const char*, Value>> fields) {
    Value::Record made;
    for (const auto& [name, value] : fields) made.emplace_back(name, value);
    return Value(std::move(made));
}

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
    for (const char* path :
         {"/other/b.txt", "/data/../other/b.txt", "../other/b.txt", "/database"}) {
        EXPECT_EQ(world.ask(7, {path}).value().field("error_kind")->text(), "permission-denied")
            << path;
    }
}

TEST(StandardEffects, a_handler_that_is_there_is_not_replaced_and_others_have_none) {
    StandardWorld world;
    EXPECT_EQ(world.ask(9).error().kind, effect::ErrorKind::unhandled_effect);
    effect::Handlers handlers;
    handlers.on("voyd.std.time", "sleep_millis", effect::any_signature,
                [](effect::Context&, const Arguments&) { return effect::tail(1); });
    world.standard.add_to(handlers, *world.program);
    EXPECT_EQ(handlers.size(), 9u);
}

}  // namespace
}  // namespace gyre::wasm
