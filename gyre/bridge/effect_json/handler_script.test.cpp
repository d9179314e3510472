// SPDX-License-Identifier: Apache-2.0
#include "gyre/bridge/effect_json/handler_script.hpp"

#include <gtest/gtest.h>

#include "gyre/effect/effect_world.test.hpp"

namespace gyre::effect {
namespace {

using script::give_last;
using script::perform;

// [guide]
constexpr const char* async_script = R"({"handlers": [
    {"effect": "com.example.async", "op": "await", "then": "last",
     "answers": [{"resume": 2, "arguments": [1]}, {"resume": 4, "after_ms": 5}]},
    {"effect": "com.example.async", "op": "now", "then": "first",
     "answers": [{"tail": 7}, {"tail": {"a": [1, 2.5, null, {"$bytes": "00ff"}]}}]}]})";
// [/guide]

std::string error_of(std::string_view text, HandlerScriptOptions options = {}) {
    Handlers handlers;
    const auto added = add_handler_script(handlers, text, options);
    EXPECT_EQ(handlers.size(), added ? handlers.size() : 0u);
    return added ? "" : added.error().message;
}

TEST(HandlerScript, answers_as_it_says_and_each_run_from_the_beginning) {
    EffectWorld world;
    const auto added = add_handler_script(world.handlers, async_script);
    ASSERT_TRUE(added) << added.error().message;
    ScriptedGuest guest(async_ops());
    guest.add("main", {perform(0, {1}), perform(0, {3}), perform(0, {3}), perform(2, {0}),
                       perform(2, {0}), give_last()});
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(world.run(guest).value().to_text(), "{\"a\": [1, 2.5, null, 0x00ff]}");
    }
    EXPECT_EQ(world.passed_ms(), 20);
    EXPECT_EQ(Lines(guest.calls().begin(), guest.calls().begin() + 5),
              (Lines{"start main()", "resume 2", "resume 4", "resume 4", "resume 7"}));
}

TEST(HandlerScript, fails_a_run_where_it_says_so_and_where_it_has_no_more) {
    EffectWorld world;
    ASSERT_TRUE(add_handler_script(world.handlers, R"({"handlers": [
        {"effect": "com.example.async", "op": "await", "answers": [{"resume": 1}]},
        {"effect": "com.example.async", "op": "other", "answers": [{"fail": "out of order"}]},
        {"effect": "com.example.async", "op": "now",
         "answers": [{"tail": 1, "arguments": [5]}]}]})"));
    ScriptedGuest guest(async_ops());
    guest.add("twice", {perform(0, {1}), perform(0, {1})});
    guest.add("fails", {perform(1, {1})}).add("other", {perform(2, {6})});
    EXPECT_NE(world.run(guest, "twice").error().message.find("no more answers"), std::string::npos);
    EXPECT_EQ(world.run(guest, "fails").error().message, "out of order");
    EXPECT_NE(world.run(guest, "other").error().message.find("where the script wants (5)"),
              std::string::npos);
}

TEST(HandlerScript, an_error_says_where_and_adds_nothing) {
    EXPECT_EQ(error_of(R"({"handlers": []})"), "");
    EXPECT_NE(error_of("{").find("parse error"), std::string::npos);
    EXPECT_NE(error_of("[]"), "");
    EXPECT_NE(error_of(R"({"handler": []})").find("unknown key 'handler'"), std::string::npos);
    const auto with = [](const std::string& handler) {
        return error_of(
            R"({"handlers": [{"effect": "e", "op": "o", "answers": [{"resume": 1}]}, )" + handler +
            "]}");
    };
    EXPECT_NE(with(R"({"op": "x", "answers": [{"resume": 1}]})").find("handlers[1]: effect"),
              std::string::npos);
    EXPECT_NE(with(R"({"effect": "e", "op": "x", "answers": []})").find("at least one"),
              std::string::npos);
    EXPECT_NE(with(R"({"effect": "e", "op": "x", "answers": [{}]})").find("answers[0]"),
              std::string::npos);
    EXPECT_NE(with(R"({"effect": "e", "op": "x", "answers": [{"resume": 1, "end": 2}]})"), "");
    EXPECT_NE(with(R"({"effect": "e", "op": "x", "answers": [{"resum": 1}]})"), "");
    EXPECT_NE(with(R"({"effect": "e", "op": "x", "answers": [{"resume": 1, "after_ms": -1}]})"),
              "");
    EXPECT_NE(with(R"({"effect": "e", "op": "x", "answers": [{"resume": 18446744073709551615}]})"),
              "");
    EXPECT_NE(with(R"({"effect": "e", "op": "x", "answers": [{"resume": {"$bytes": "0g"}}]})"), "");
    EXPECT_NE(with(R"({"effect": "e", "op": "x", "then": "x", "answers": [{"resume": 1}]})"), "");
    EXPECT_NE(with(R"({"effect": "e", "op": "o", "answers": [{"resume": 1}]})").find("already"),
              std::string::npos);
    EXPECT_EQ(with(R"({"effect": "e", "op": "o", "signature": "0x1f", "answers": [{"end": 1}]})"),
              "");
    EXPECT_NE(with(R"({"effect": "e", "op": "o", "signature": "31", "answers": [{"end": 1}]})"),
              "");
}

TEST(HandlerScript, answers_functions_that_return_at_once) {
    const std::string text = R"({"handlers": [{"effect": "pkg", "op": "add", "answers": [
        {"resume": 3, "arguments": [1, 2]}, {"tail": "text"}, {"fail": "no"},
        {"resume": 1, "after_ms": 5}, {"end": 1}, {"never": true}]}]})";
    auto function = scripted_function(text, "pkg", "add");
    ASSERT_TRUE(function && *function);
    const auto failure = [&](const Arguments& arguments) {
        try {
            static_cast<void>((*function)(arguments));
        } catch (const Failure& thrown) {
            return std::string(thrown.what());
        }
        return std::string();
    };
    EXPECT_EQ((*function)({1, 2}), Value(3));
    EXPECT_EQ((*function)({7}), Value("text"));
    EXPECT_EQ(failure({}), "no");
    for (int i = 0; i < 3; ++i)
        EXPECT_NE(failure({}).find("pkg::add returns at once"), std::string::npos);
    EXPECT_EQ(failure({}), "pkg::add: the script has no more answers");
    const auto again = scripted_function(text, "pkg", "add");
    EXPECT_NE(again && *again ? "" : "none", "none");
    EXPECT_THROW(static_cast<void>((*again)({1})), Failure);
    EXPECT_FALSE(*scripted_function(text, "pkg", "sub"));
    EXPECT_FALSE(scripted_function("{", "pkg", "add"));
}

TEST(HandlerScript, its_size_and_its_depth_are_limited) {
    std::string deep = "1";
    for (int i = 0; i < 200; ++i) deep = "[" + deep + "]";
    const std::string text =
        R"({"handlers": [{"effect": "e", "op": "o", "answers": [{"resume": )" + deep + "}]}]}";
    EXPECT_NE(error_of(text).find("depth_max"), std::string::npos);
    EXPECT_EQ(error_of(text, {.depth_max = 300}), "");
    EXPECT_NE(error_of(text, {.size_max_bytes = 100, .depth_max = 300}).find("size_max_bytes"),
              std::string::npos);
}

}  // namespace
}  // namespace gyre::effect
