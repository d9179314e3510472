// SPDX-License-Identifier: Apache-2.0
// Modules of both generations, written by hand: the frames that they and their host exchange are those that the reference
// host and compiled modules exchanged, byte for byte.
#include <gtest/gtest.h>

#include <sstream>

#include "lang/wasm/wasmtime/wasm_world.test.hpp"

namespace gyre::wasm {
namespace {

using effect::resume;
using effect::tail;
using namespace std::chrono_literals;

Lines frames_of(const std::string& name) {
    std::istringstream text(wasm_file(name + ".frames"));
    Lines lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

struct ResumeWorld : WasmWorld {
    explicit ResumeWorld(const std::string& name, GuestOptions options = {})
        : WasmWorld(wasm_file(name + ".wat"), std::move(options)) {}
    Lines trace;

    // The handler of the specification's trace: later for the first request, at once for the others.
    void answer_with_trace() {
        world.handlers.on("com.example.async", "await", effect::any_signature,
                          [this](effect::Context&, const Arguments& arguments) {
                              const auto n = arguments[0].integer();
                              trace.push_back("h" + std::to_string(n) + ":start");
                              trace.push_back("h" + std::to_string(n) + ":end");
                              return resume(n + 1).after(n == 1 ? 5ms : 0ms);
                          });
    }
};

TEST(GoldenFrames, of_resume_and_of_tail_are_the_same_in_both_generations) {
    for (const std::string generation : {"a", "b"}) {
        ResumeWorld world("resume_" + generation);
        world.answer_with_trace();
        const auto outcome = world.run();
        ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
        EXPECT_EQ(outcome.value(), Value(40));
        EXPECT_EQ(world.trace, (Lines{"h1:start", "h1:end", "h3:start", "h3:end"}));
        EXPECT_EQ(world.frames, frames_of("resume_" + generation));

        ResumeWorld tails("tail_" + generation);
        tails.world.handlers.on("com.example.clock", "now", effect::any_signature,
                                [](effect::Context&, const Arguments&) { return tail(20); });
        tails.world.handlers.on(
            "com.example.clock", "scale", effect::any_signature,
            [](effect::Context&, const Arguments& arguments) { return tail(arguments[0]); });
        EXPECT_EQ(tails.run().value(), Value(42));
        EXPECT_EQ(tails.frames, frames_of("tail_" + generation));
    }
}

TEST(GoldenFrames, a_handler_that_breaks_the_rules_ends_the_run_before_the_module_is_entered) {
    for (const std::string generation : {"a", "b"}) {
        ResumeWorld world("resume_" + generation);
        world.world.handlers.on("com.example.async", "await", effect::any_signature,
                                [](effect::Context&, const Arguments&) { return tail(1); });
        EXPECT_EQ(world.run().error().kind, ErrorKind::invalid_answer);
        EXPECT_EQ(world.frames.size(), generation == "a" ? 1u : 2u);

        ResumeWorld missing("resume_" + generation);
        const auto outcome = missing.run();
        EXPECT_EQ(outcome.error().kind, ErrorKind::unhandled_effect);
        EXPECT_EQ(outcome.error().message, "Unhandled effect src::01_resume::Async.await");

        ResumeWorld tails("tail_" + generation);
        tails.world.handlers.on("com.example.clock", "now", effect::any_signature,
                                [](effect::Context&, const Arguments&) { return effect::end(1); });
        EXPECT_EQ(tails.run().error().kind, ErrorKind::invalid_answer);
    }
}

TEST(GoldenFrames, an_answer_of_another_type_is_refused_in_the_words_of_the_reference_host) {
    ResumeWorld world("resume_b");
    world.world.handlers.on("com.example.async", "await", effect::any_signature,
                            [](effect::Context&, const Arguments&) { return resume("two"); });
    const auto outcome = world.run();
    ASSERT_EQ(outcome.kind(), RunEndKind::failed);
    EXPECT_EQ(outcome.error().kind, ErrorKind::encode_failed);
    EXPECT_EQ(outcome.error().message,
              "typed export effect src::01_resume::Async.await arg0 expected i32, got string");
    EXPECT_EQ(world.run("main", {1}).error().message, "typed export main expected 0 args, got 1");
}

TEST(GoldenFrames, end_gives_the_value_through_the_module_where_it_can_and_as_it_is_elsewhere) {
    for (const std::string generation : {"a", "b"}) {
        ResumeWorld world("resume_" + generation);
        world.world.handlers.on("com.example.async", "await", effect::any_signature,
                                [](effect::Context&, const Arguments&) { return effect::end(77); });
        EXPECT_EQ(world.run().value(), Value(77));
        EXPECT_EQ(world.frames.size(), generation == "a" ? 1u : 4u);
        EXPECT_EQ(world.guest.instance_count(), 0u);
    }
}

TEST(GoldenFrames, a_cancelled_run_leaves_nothing_behind_and_its_late_answer_is_dropped) {
    ResumeWorld world("resume_b");
    std::vector<effect::Reply> replies;
    world.world.handlers.on("com.example.async", "await", effect::any_signature,
                            [&](effect::Context&, Arguments, effect::Reply reply) {
                                replies.push_back(std::move(reply));
                            });
    auto run = world.world.scheduler.start(world.guest, world.world.handlers, "main");
    world.world.loop.turn();
    ASSERT_EQ(replies.size(), 1u);
    EXPECT_EQ(world.guest.instance_count(), 1u);
    EXPECT_TRUE(run.cancel("user"));
    EXPECT_FALSE(run.cancel("again"));
    EXPECT_EQ(world.guest.instance_count(), 0u);
    EXPECT_FALSE(replies[0].answer(resume(1)));
    static_cast<void>(world.world.loop.run());
    EXPECT_EQ(run.outcome().reason().why, "user");
    EXPECT_EQ(world.frames.size(), 2u);
}

TEST(GoldenFrames, a_buffer_that_is_too_small_grows_up_to_its_limit) {
    ResumeWorld world("resume_b", {.buffer_size_bytes = 16});
    world.answer_with_trace();
    const auto outcome = world.run();
    ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
    EXPECT_EQ(outcome.value(), Value(40));
    ResumeWorld bounded("resume_b", {.buffer_size_bytes = 16, .buffer_max_bytes = 100});
    bounded.answer_with_trace();
    EXPECT_EQ(bounded.run().error().kind, ErrorKind::buffer_overflow);
}

TEST(GoldenFrames, many_runs_of_one_module_wait_side_by_side) {
    ResumeWorld world("resume_b");
    world.answer_with_trace();
    std::vector<effect::RunHandle<Value>> runs;
    for (int i = 0; i < 50; ++i) {
        runs.push_back(world.world.scheduler.start(world.guest, world.world.handlers, "main"));
    }
    static_cast<void>(world.world.loop.run());
    for (const auto& run : runs) EXPECT_EQ(run.outcome().value(), Value(40));
    EXPECT_EQ(world.world.passed_ms(), 5);
}

TEST(GoldenFrames, a_journal_of_a_module_replays_without_its_handlers) {
    effect::MemoryJournal journal;
    ResumeWorld world("resume_b");
    world.answer_with_trace();
    EXPECT_EQ(world.world.run(world.guest, "main", {}, {.journal = &journal}).value(), Value(40));
    journal.rewind();
    ResumeWorld again("resume_b");
    EXPECT_EQ(again.world.run(again.guest, "main", {}, {.journal = &journal}).value(), Value(40));
    EXPECT_EQ(again.frames, world.frames);
}

}  // namespace
}  // namespace gyre::wasm
