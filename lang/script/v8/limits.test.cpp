// SPDX-License-Identifier: Apache-2.0
// Limits, hostile scripts, and the bounded drain under collections.
#include <gtest/gtest.h>

#include <cstdlib>

#include <thread>

#include "lang/script/script_world.test.hpp"

namespace gyre::script {
namespace {

TEST(ScriptLimits, a_script_that_never_returns_is_stopped_from_another_thread) {
    for (const char* text : {"while (true);", "/(a+)+$/.test('a'.repeat(40) + 'b')",
                             "try { while (true); } finally { while (true); }",
                             "process.on('uncaughtException', () => {}); for (;;) { try { (() => { "
                             "throw 1; })(); } catch {} }"}) {
        ScriptWorld world;
        std::thread other([&] {
            std::this_thread::sleep_for(30ms);
            world.script.stop(Stop::time_limit);
        });
        EXPECT_EQ((world.run(text), world.status), 4) << text;
        other.join();
        EXPECT_EQ(world.script.why_stopped(), Stop::time_limit);
    }
}

TEST(ScriptLimits, a_script_that_takes_too_much_memory_ends_and_the_process_lives) {
    for (const char* text :
         {"const a = []; for (;;) a.push(new Array(1000).fill(1.5));",
          "let s = 'x'; const keep = []; for (;;) { keep.push(s + keep.length); s += s.slice(0, "
          "1000); }",
          "const f = []; for (;;) { const big = new Array(100).fill({}); f.push(() => big); }",
          "const m = new Map(); for (let i = 0; ; i += 1) m.set(i, { i, s: 'v' + i });"}) {
        ScriptWorld world({.memory_limit_bytes = std::size_t{32} << 20u});
        EXPECT_EQ((world.run(text), world.status), 4) << text;
        EXPECT_EQ(world.script.why_stopped(), Stop::memory_limit) << text;
    }
    ScriptWorld after;
    EXPECT_EQ(after.run("console.log(1 + 1)"), "2\n");
}

TEST(ScriptLimits, array_buffers_count_against_the_memory_limit) {
    ScriptWorld world({.memory_limit_bytes = std::size_t{32} << 20u});
    EXPECT_EQ(world.run("try { new ArrayBuffer(1 << 28); } catch (e) { console.log(e.name); }"),
              "RangeError\n");
}

TEST(ScriptLimits, deep_recursion_is_a_RangeError) {
    ScriptWorld world;
    EXPECT_EQ(world.run("function f() { f(); } try { f(); } catch (e) { console.log(e.name); }"),
              "RangeError\n");
}

TEST(ScriptLimits, thenables_that_lie_settle_once) {
    ScriptWorld world;
    EXPECT_EQ(world.run(R"(
        const liar = { then(ok, no) { ok(1); ok(2); no(new Error('late')); throw new Error('later'); } };
        Promise.resolve(liar).then((v) => console.log(v));
        const trap = { get then() { throw new Error('in a getter'); } };
        Promise.resolve().then(() => trap).catch((e) => console.log(e.message));
    )"),
              "1\nin a getter\n");
}

TEST(ScriptLimits, polluted_prototypes_do_not_reach_the_host) {
    ScriptWorld world;
    EXPECT_EQ(world.run(R"(
        Array.prototype.push = () => { throw new Error('push'); };
        Map.prototype.get = Map.prototype.set = () => { throw new Error('map'); };
        Promise.prototype.then = () => { throw new Error('then'); };
        Function.prototype.call = Function.prototype.apply = () => { throw new Error('call'); };
        Object.prototype.then = undefined;
        process.nextTick(() => process.stdout.write('tick\n'));
        setTimeout(() => process.stdout.write('timer\n'), 1);
        setImmediate(() => process.stdout.write('immediate\n'));
        queueMicrotask(() => process.stdout.write('micro\n'));
        const id = setTimeout(() => {}, 1); clearTimeout(+id);
    )"),
              "tick\nmicro\nimmediate\ntimer\n");
    EXPECT_EQ(world.status, 0) << world.system.err;
}

TEST(ScriptLimits, half_a_million_rejections_are_reported_and_forgotten) {
    const std::string count = is_interpreted ? "20000" : "500000";
    ScriptWorld world;
    EXPECT_EQ(world.run("let n = 0; process.on('unhandledRejection', () => { n += 1; });"
                        "for (let i = 0; i < " +
                        count +
                        "; i += 1) Promise.reject(i);"
                        "process.on('exit', () => console.log(n));"),
              count + "\n");
}

TEST(ScriptLimits, the_drain_loses_no_job_to_collections_at_its_bounds) {
    // clause: J09
    for (const std::uint32_t slice : {2u, 64u, 1024u}) {
        ScriptWorld world({.slice = slice});
        const int chains = slice < 64 ? 20 : 200;
        world.script.start_text("let sum = 0; for (let c = 0; c < " + std::to_string(chains) +
                                "; c += 1) (async () => { for (let i = 0; i < 50; i += 1) { const "
                                "got = await { v: [i] }; sum += got.v[0]; } })();"
                                "process.on('exit', () => console.log(sum));");
        while (world.loop.has_ready_work()) {
            world.loop.turn();
            world.script.engine().collect_garbage();
        }
        EXPECT_EQ(world.script.run(world.loop), 0);
        EXPECT_EQ(world.system.out, std::to_string(chains * 1225) + "\n") << slice;
    }
}

TEST(ScriptLimits, collections_in_every_turn_lose_no_job_of_200_loops) {
    // clause: J09
    const bool is_long = std::getenv("GYRE_TEST_LONG") != nullptr;
    const int awaits = is_long ? 2000 : 100;  // of each of 200 loops
    ScriptWorld world({.slice = 1024});
    world.script.start_text(
        "let sum = 0; for (let c = 0; c < 200; c += 1) (async () => { for (let i = 0; i < " +
        std::to_string(awaits) +
        "; i += 1) { const got = await { v: [i] }; sum += got.v[0]; } })();"
        "process.on('exit', () => console.log(sum));");
    std::size_t collections = 0;
    while (world.loop.has_ready_work()) {
        world.loop.turn();
        world.script.engine().collect_garbage();
        ++collections;
    }
    EXPECT_EQ(world.script.run(world.loop), 0);
    EXPECT_EQ(world.system.out, std::to_string(100 * awaits * (awaits - 1)) + "\n");
    EXPECT_GE(collections, 4u);
}

TEST(ScriptLimits, exit_ends_one_script_and_not_another) {
    ScriptWorld one;
    ScriptWorld other;
    EXPECT_EQ(one.run("process.on('exit', (c) => console.log('exit', c)); process.exit(3); "
                      "console.log('never')"),
              "exit 3\n");
    EXPECT_EQ(one.status, 3);
    EXPECT_EQ(other.run("console.log('lives')"), "lives\n");
}

TEST(ScriptLimits, virtual_time_jumps_and_a_spin_on_the_clock_ends) {
    // clause: J14
    ScriptWorld world;
    EXPECT_EQ(world.run(R"(
        const from = Date.now(), exact = performance.now();
        setTimeout(() => console.log(Date.now() - from >= 86400000, performance.now() - exact >= 86400000), 86400000);
        const end = Date.now() + 2; while (Date.now() < end);
    )"),
              "true true\n");
}

TEST(ScriptLimits, a_seed_repeats_chance) {
    constexpr std::string_view text = "console.log(Math.random(), crypto.randomUUID());";
    ScriptWorld one({.seed = 7});
    ScriptWorld two({.seed = 7});
    ScriptWorld three({.seed = 8});
    const std::string first = one.run(text);
    EXPECT_EQ(first, two.run(text));
    EXPECT_NE(first, three.run(text));
}

}  // namespace
}  // namespace gyre::script
