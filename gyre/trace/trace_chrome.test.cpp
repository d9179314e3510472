// SPDX-License-Identifier: Apache-2.0
#include "gyre/trace/trace.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <source_location>
#include <string>

#include "gyre/kernel/offload.hpp"
#include "gyre/sim/test_app.test.hpp"
#include "gyre/sim/world.hpp"
#include "gyre/trace/chrome_events.test.hpp"

namespace gyre::trace {
namespace {

using namespace std::chrono_literals;
using sim::TestApp;
using sim::VirtualClock;
using sim::World;

struct QuestionOp : Request {
    QuestionOp() : Request(OpCode::first_custom) {}
};

// Two simulated loops: each submits ops to the other, and has timers and blocking work.
struct Pair {
    explicit Pair(std::uint64_t seed, RingLimits limits = {})
        : trace({.simulated_start = clock.peek(), .limits = limits}), world(clock, {.seed = seed}) {
        for (std::size_t i = 0; i < apps.size(); ++i) {
            Observer& ring = trace.add_loop({.loop = "loop " + std::to_string(i + 1)});
            world.add_loop(apps[i], {.observer = &ring});
        }
        for (std::size_t i = 0; i < apps.size(); ++i) {
            questions[i].set_destination(world.loop(1 - i).app_ref());
            apps[i].on_done = [this, i](Op& op) {
                if (&op == &questions[i] && --rounds_left[i] > 0) apps[i].start(op);
            };
            timers[i].deadline = clock.peek() + 1ms;
        }
    }
    void run(int rounds) {
        for (std::size_t i = 0; i < apps.size(); ++i) {
            rounds_left[i] = rounds;
            apps[i].start(questions[i]);
            apps[i].start(timers[i]);
            apps[i].start(works[i]);
        }
        EXPECT_EQ(world.run(), World::End::idle);
    }

    VirtualClock clock;
    Trace trace;
    std::array<TestApp, 2> apps;
    std::array<QuestionOp, 2> questions;
    std::array<TimerOp, 2> timers;
    std::array<WorkOp, 2> works{WorkOp([](WorkOp&) noexcept { return 1; }),
                                WorkOp([](WorkOp&) noexcept { return 2; })};
    std::array<int, 2> rounds_left{};
    World world;
};

TEST(Chrome, every_flow_of_two_simulated_loops_has_its_end) {
    Pair pair(1);
    pair.run(20);
    const ChromeEvents events(chrome_json(pair.trace));
    EXPECT_EQ(events.expect_whole_flows(), 2u * (20 + 2));
    EXPECT_TRUE(events.named("X", "in flight").empty());

    // An op is submitted by one loop, routed in both, and completed in the first.
    const auto start = events.named("s", "custom").at(0);
    std::set<int> rows;
    for (const auto& step : events.of_phase("t")) {
        if (step.at("id") == start.at("id")) rows.insert(step.at("tid").get<int>());
    }
    EXPECT_EQ(rows, (std::set<int>{1, 2}));
    for (const auto& end : events.of_phase("f")) {
        if (end.at("id") != start.at("id")) continue;
        EXPECT_EQ(end.at("tid"), start.at("tid"));
    }
}

TEST(Chrome, one_seed_gives_one_file_byte_for_byte) {
    std::set<std::string> files;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        std::array<std::string, 2> twice;
        for (std::string& text : twice) {
            Pair pair(seed);
            pair.run(10);
            text = chrome_json(pair.trace);
        }
        EXPECT_EQ(twice[0], twice[1]);
        files.insert(twice[0]);
    }
    EXPECT_GT(files.size(), 1u);
}

TEST(Chrome, an_op_in_flight_ends_its_flow_where_the_trace_ends) {
    Pair pair(1);
    TimerOp late(pair.clock.peek() + 1h);
    pair.apps[0].start(late);
    pair.apps[0].on_done = [&pair](Op&) { pair.world.stop(); };
    TimerOp early(pair.clock.peek() + 1s);
    pair.apps[0].start(early);
    EXPECT_EQ(pair.world.run(), World::End::stopped);

    const ChromeEvents events(chrome_json(pair.trace));
    EXPECT_EQ(events.expect_whole_flows(), 2u);
    std::size_t in_flight_count = 0;
    for (const auto& end : events.of_phase("f")) {
        if (end.at("args").contains("state")) {
            ++in_flight_count;
            EXPECT_EQ(end.at("args").at("state"), "in flight");
        }
    }
    EXPECT_EQ(in_flight_count, 1u);
    EXPECT_EQ(events.named("X", "in flight").size(), 1u);
    pair.apps[0].on_done = [](Op&) {};
    EXPECT_EQ(pair.world.run(), World::End::idle);
}

TEST(Chrome, what_was_overwritten_leaves_no_flow_without_a_start) {
    Pair pair(1, {.event_count_max = 64});
    pair.run(100);
    const ChromeEvents events(chrome_json(pair.trace));
    EXPECT_GT(events.expect_whole_flows(), 0u);
    for (const auto& lost : events.all().at("otherData").at("lost_events")) {
        EXPECT_GT(lost.at("count"), 100);
    }
    EXPECT_EQ(events.of_phase("i").size(), 2u);  // One for each loop, on its row.
}

TEST(Chrome, ticks_lie_in_turns_and_waits_between_them) {
    Pair pair(1);
    pair.run(3);
    const ChromeEvents events(chrome_json(pair.trace));
    std::vector<std::tuple<int, std::int64_t, std::int64_t>> turns;
    for (const auto& turn : events.named("X", "turn")) {
        const std::int64_t begin = ChromeEvents::ns_of(turn);
        turns.emplace_back(turn.at("tid"), begin, begin + ChromeEvents::ns_of(turn, "dur"));
    }
    const auto is_in_a_turn = [&turns](const nlohmann::json& slice) {
        const std::int64_t begin = ChromeEvents::ns_of(slice);
        const std::int64_t end = begin + ChromeEvents::ns_of(slice, "dur");
        return std::ranges::any_of(turns, [&](const auto& turn) {
            return std::get<0>(turn) == slice.at("tid") && std::get<1>(turn) < begin &&
                   end <= std::get<2>(turn);
        });
    };
    EXPECT_GT(events.named("X", "app").size(), 6u);
    for (const auto& tick : events.named("X", "app")) EXPECT_TRUE(is_in_a_turn(tick)) << tick;
    EXPECT_GT(events.named("X", "wait").size(), 0u);
    for (const auto& wait : events.named("X", "wait")) EXPECT_FALSE(is_in_a_turn(wait)) << wait;
    EXPECT_EQ(events.named("X", "between turns").size(), 2u);  // The submissions of the test.
}

TEST(Chrome, what_follows_a_turn_is_in_none_and_in_no_tick) {
    Trace trace;
    Observer& ring = trace.add_loop({.loop = "main"});
    TestApp app;
    ring.on_waited(Instant(1000));
    ring.on_tick(app, Instant(1000));
    ring.on_turned();
    ring.on_mark("later");
    ring.on_wait(Instant::never());
    const ChromeEvents events(chrome_json(trace));
    const auto end_of = [&events](const char* name) {
        const auto slice = events.named("X", name).at(0);
        return ChromeEvents::ns_of(slice) + ChromeEvents::ns_of(slice, "dur");
    };
    const std::int64_t later = ChromeEvents::ns_of(events.named("i", "later").at(0));
    EXPECT_LT(end_of("machine 0"), later);
    EXPECT_LT(end_of("turn"), later);
    EXPECT_EQ(ChromeEvents::ns_of(events.named("X", "between turns").at(0)), later);
}

TEST(Chrome, times_are_microseconds_from_the_first_event_with_nanoseconds) {
    Trace trace({.simulated_start = Instant(5'000'000'000)});
    Observer& ring = trace.add_loop({.loop = "main"});
    ring.on_mark("first");
    ring.on_waited(Instant(6'001'234'567));
    ring.on_mark("second");
    const std::string text = chrome_json(trace);
    const ChromeEvents events(text);
    EXPECT_EQ(ChromeEvents::ns_of(events.named("i", "first").at(0)), 0);
    EXPECT_NE(text.find("\"ts\":1001234.567"), std::string::npos) << text;
}

TEST(Chrome, tasks_are_rows_with_slices_of_their_name_where_they_ran) {
    Trace trace;
    Observer& ring = trace.add_loop({.loop = "main"});
    ring.on_task(TaskEvent::started, 7, "reader");
    ring.on_task(TaskEvent::suspended, 7, {});
    ring.on_task(TaskEvent::started, 8, {});
    ring.on_task(TaskEvent::ended, 8, {});
    ring.on_task(TaskEvent::resumed, 7, {});
    ring.on_task(TaskEvent::named, 7, "reader of a file");
    const ChromeEvents events(chrome_json(trace));
    const std::vector<int> reader = events.rows_named("reader of a file");
    const std::vector<int> nameless = events.rows_named("task 8");
    ASSERT_EQ(reader.size(), 1u);
    ASSERT_EQ(nameless.size(), 1u);
    std::map<int, int> runs;
    for (const auto& run : events.of_phase("X")) ++runs[run.at("tid").get<int>()];
    EXPECT_EQ(runs, (std::map<int, int>{{reader[0], 2}, {nameless[0], 1}}));
    EXPECT_EQ(events.named("X", "reader of a file").size(), 2u);
    EXPECT_NE(reader[0], events.rows_named("main").at(0));
}

TEST(Chrome, a_slice_of_a_task_says_what_it_waited_for_and_where) {
    Trace trace;
    Observer& ring = trace.add_loop({.loop = "main"});
    const auto here = std::source_location::current();
    ring.on_task(TaskEvent::started, 7, "reader");
    ring.on_task_waits(7, "read", here);
    ring.on_task(TaskEvent::suspended, 7, {});
    ring.on_task(TaskEvent::resumed, 7, {});
    ring.on_task_waits(7, "its turn", std::source_location());
    ring.on_task(TaskEvent::suspended, 7, {});
    const ChromeEvents events(chrome_json(trace));
    const auto runs = events.named("X", "reader");
    ASSERT_EQ(runs.size(), 2u);
    const std::string place = std::string(here.file_name()) + ":" + std::to_string(here.line());
    const nlohmann::json first = {{"task", 7}, {"waits_for", "read"}, {"waits_at", place}};
    const nlohmann::json second = {
        {"task", 7}, {"waited_for", "read"}, {"waited_at", place}, {"waits_for", "its turn"}};
    EXPECT_EQ(runs[0].at("args"), first);
    EXPECT_EQ(runs[1].at("args"), second);
}

TEST(Chrome, an_op_names_the_task_that_submitted_it) {
    Trace trace;
    Observer& ring = trace.add_loop({.loop = "main"});
    sim::Rig rig({}, &ring);
    std::array<TimerOp, 4> timers;
    const auto submit = [&](TimerOp& timer) {
        timer.deadline = rig.loop.now() + 1ms;
        rig.app.start(timer);
    };
    ring.on_task(TaskEvent::started, 1, "outer");
    submit(timers[0]);
    ring.on_task(TaskEvent::started, 2, "polled");
    submit(timers[1]);
    ring.on_task(TaskEvent::suspended, 2, {});
    submit(timers[2]);
    ring.on_task(TaskEvent::suspended, 1, {});
    submit(timers[3]);
    std::vector<std::string> tasks;
    const ChromeEvents events(chrome_json(trace));
    for (const auto& start : events.of_phase("s")) {
        tasks.push_back(start.at("args").value("task", "none"));
    }
    EXPECT_EQ(tasks, (std::vector<std::string>{"outer", "polled", "outer", "none"}));
    while (timers[3].is_in_flight()) rig.loop.turn();
}

TEST(Chrome, hostile_names_stay_text) {
    const std::string hostile = "a\"b\\c\n\x01\x7f\xff</script>\xf0\x9f\x8c\x80";
    Trace trace;
    Observer& ring = trace.add_loop({.loop = hostile, .world = hostile});
    ring.on_task(TaskEvent::started, 1, hostile);
    ring.on_mark("m\"\\\n\xc3");
    const ChromeEvents events(chrome_json(trace));
    const std::string expected = "a\"b\\c\n\x01\x7f\xef\xbf\xbd</script>\xf0\x9f\x8c\x80";
    EXPECT_EQ(events.rows_named(expected).size(), 2u);
    EXPECT_EQ(events.named("M", "process_name").at(0).at("args").at("name"), expected);
    EXPECT_EQ(events.named("i", "m\"\\\n\xef\xbf\xbd").size(), 1u);
}

TEST(Chrome, worlds_are_processes_and_their_op_ids_do_not_meet) {
    VirtualClock clock;
    Trace trace({.simulated_start = clock.peek()});
    for (const char* world_name : {"first", "second"}) {
        sim::SimPlatform platform(clock);
        TestApp app;
        Loop loop(platform, app,
                  {.observer = &trace.add_loop({.loop = "main", .world = world_name})});
        TimerOp timer(clock.peek() + 1s);
        app.start(timer);
        EXPECT_EQ(loop.run(), Loop::End::idle);
    }
    const ChromeEvents events(chrome_json(trace));
    EXPECT_EQ(events.expect_whole_flows(), 2u);
    const auto starts = events.of_phase("s");
    EXPECT_EQ(starts[0].at("args").at("op"), starts[1].at("args").at("op"));
    EXPECT_NE(starts[0].at("pid"), starts[1].at("pid"));
    EXPECT_NE(starts[0].at("id"), starts[1].at("id"));
}

TEST(Chrome, a_trace_without_events_is_a_file_all_the_same) {
    Trace trace;
    EXPECT_TRUE(ChromeEvents(chrome_json(trace)).all().at("traceEvents").empty());
    trace.add_loop({.loop = "main"});
    EXPECT_EQ(ChromeEvents(chrome_json(trace)).rows_named("main").size(), 1u);
}

TEST(Chrome, is_written_in_pieces) {
    Pair pair(1);
    pair.run(2000);
    class Pieces final : public TraceSink {
    public:
        void write(std::string_view piece) override {
            ++count;
            text += piece;
        }
        std::size_t count = 0;
        std::string text;
    };
    Pieces pieces;
    write_chrome(pair.trace, pieces);
    EXPECT_GT(pieces.count, 5u);
    EXPECT_EQ(pieces.text, chrome_json(pair.trace));
}

}  // namespace
}  // namespace gyre::trace
