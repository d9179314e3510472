// SPDX-License-Identifier: Apache-2.0
// The order of jobs, in JavaScript on V8. tests/script/order has programs whose output was verified
// on Node.
#include <gtest/gtest.h>

#include "lang/script/script_world.test.hpp"

namespace gyre::script {
namespace {

std::string printed(std::string_view text, ScriptOptions options = {}) {
    ScriptWorld world(std::move(options));
    std::string out = world.run(text);
    EXPECT_EQ(world.system.err, "");
    return out;
}

TEST(Script, ticks_come_before_microtasks_and_timers_before_the_next_immediates) {
    // clause: J02, J04, J05, J06, J07
    EXPECT_EQ(printed(R"(
        setImmediate(() => { console.log('immediate'); process.nextTick(console.log, 'its tick'); });
        setTimeout((a, b) => console.log('timer', a, b), 1, 'x', 2);
        Promise.resolve().then(() => console.log('micro')).then(() => process.nextTick(console.log, 'tick of a microtask'));
        queueMicrotask(() => console.log('queued'));
        process.nextTick(() => console.log('tick'));
        clearTimeout(setTimeout(console.log, 1, 'never'));
        const from = Date.now(); while (Date.now() < from + 3);
    )"),
              "tick\nmicro\nqueued\ntick of a microtask\ntimer x 2\nimmediate\nits tick\n");
}

TEST(Script, an_interval_repeats_under_its_handle_until_it_clears_itself) {
    // clause: J03
    EXPECT_EQ(printed(R"(
        let n = 0;
        const id = setInterval(() => { console.log(++n, id.hasRef()); if (n === 3) clearInterval(id); }, 5);
    )"),
              "1 true\n2 true\n3 true\n");
}

TEST(Script, the_order_js2il_puts_immediates_first_and_a_tick_among_the_microtasks) {
    // clause: J13
    EXPECT_EQ(printed(R"(
        setTimeout(() => console.log('timer 1'), 0);
        setTimeout(() => console.log('timer 2'), 0);
        setImmediate(() => { console.log('immediate'); setImmediate(() => console.log('nested')); });
        queueMicrotask(() => console.log('micro'));
        process.nextTick(() => console.log('tick'));
        const from = Date.now(); while (Date.now() < from + 3);
    )",
                      {.order = job::Profile::js2il}),
              "immediate\nmicro\ntick\ntimer 1\nnested\ntimer 2\n");
}

TEST(Script, prints_the_same_in_every_slice_size) {
    // clause: J08, J09, J14
    constexpr std::string_view text = R"(
        let n = 0, log = [];
        (async () => { for (let i = 0; i < 50; i += 1) { await null; log.push('a' + i); } })();
        (function chain() { if (n++ < 40) Promise.resolve().then(chain); else log.push('end of chain'); })();
        for (let i = 0; i < 20; i += 1) process.nextTick(() => { log.push('t' + i); queueMicrotask(() => log.push('m' + i)); });
        setTimeout(() => log.push('timer'), 1);
        setImmediate(() => log.push('immediate'));
        process.on('exit', () => console.log(log.join(' ')));
    )";
    const std::string expected = printed(text);
    for (const std::uint32_t slice : {1u, 2u, 3u, 7u, 64u}) {
        EXPECT_EQ(printed(text, {.slice = slice}), expected) << slice;
    }
}

TEST(Script, an_endless_chain_lets_the_loop_go_on) {
    // clause: J08, J11
    for (const char* chain :
         {"(function next() { Promise.resolve().then(next); })()",
          "(function next() { process.nextTick(next); })()",
          "(function next() { setImmediate(next); })()", "(async () => { for (;;) await 0; })()"}) {
        ScriptWorld world;
        world.script.start_text(chain);
        int turns = 0;
        while (turns < 50) {
            world.loop.turn();
            ++turns;
        }
        world.script.stop(Stop::cancelled);
        EXPECT_EQ(world.script.run(world.loop), 4) << chain;
    }
}

TEST(Script, the_async_context_follows_every_kind_of_job) {
    // clause: J10
    EXPECT_EQ(printed(R"(
        const { AsyncLocalStorage } = require('async_hooks');
        const storage = new AsyncLocalStorage();
        const say = (kind) => () => console.log(kind, storage.getStore());
        storage.run('red', async () => {
            setTimeout(say('timer'), 2);
            setImmediate(say('immediate'));
            process.nextTick(say('tick'));
            queueMicrotask(say('microtask'));
            await null;
            say('await')();
        });
        say('outside')();
    )"),
              "outside undefined\ntick red\nmicrotask red\nawait red\nimmediate red\ntimer red\n");
}

TEST(Script, an_uncaught_error_ends_the_script_unless_a_handler_takes_it) {
    // clause: J15
    ScriptWorld fatal;
    EXPECT_EQ(fatal.run("process.on('exit', (c) => console.log('exit', c));"
                        "setTimeout(console.log, 5, 'never');"
                        "queueMicrotask(() => console.log('never'));"
                        "throw new Error('fatal');"),
              "exit 1\n");
    EXPECT_EQ(fatal.status, 1);
    EXPECT_NE(fatal.system.err.find("Error: fatal"), std::string::npos);
    EXPECT_EQ(printed(R"(
        process.on('uncaughtException', (e, origin) => console.log(e.message, origin));
        setTimeout(() => console.log('later'), 1);
        setImmediate(() => { throw new Error('in an immediate'); });
        throw new Error('in main');
    )"),
              "in main uncaughtException\nin an immediate uncaughtException\nlater\n");
}

TEST(Script, a_rejection_is_reported_at_the_end_of_its_checkpoint_and_withdrawn_later) {
    // clause: J16
    EXPECT_EQ(printed(R"(
        process.on('unhandledRejection', (reason) => console.log('unhandled', reason));
        process.on('rejectionHandled', () => console.log('handled later'));
        const late = Promise.reject('late');
        const soon = Promise.reject('soon');
        process.nextTick(() => soon.catch(() => {}));
        setTimeout(() => late.catch(() => {}), 1);
        queueMicrotask(() => console.log('micro'));
    )"),
              "micro\nunhandled late\nhandled later\n");
}

TEST(Script, rejections_that_a_throwing_tick_left_are_reported_behind_the_next_immediate) {
    // clause: J15, J16
    // The checkpoints at the end of the main script and at the start of the immediates end early.
    EXPECT_EQ(printed(R"(
        process.on('uncaughtException', (e) => console.log(e.message));
        process.on('unhandledRejection', (reason) => console.log('unhandled', reason));
        Promise.reject('left');
        for (const name of ['one', 'two']) process.nextTick(() => { throw new Error(name); });
        for (const name of ['first', 'second']) setImmediate(() => console.log(name));
    )"),
              "one\ntwo\nfirst\nunhandled left\nsecond\n");
}

TEST(Script, a_module_runs_its_microtasks_before_its_ticks) {
    // clause: J06
    ScriptWorld world;
    EXPECT_EQ(world.run("process.nextTick(() => console.log('tick'));"
                        "Promise.resolve().then(() => console.log('micro'));"
                        "console.log(await 1);",
                        true),
              "micro\n1\ntick\n");
}

TEST(Script, a_host_function_settles_its_promise_outside_of_a_job_without_blocking) {
    // clause: J20, L21
    ScriptWorld world;
    std::vector<Call> calls;
    world.script.add_function("ask", [&calls](Call call) { calls.push_back(std::move(call)); });
    world.script.start_text(R"(
        gyre.call('ask', 1, 'two').then((value) => { console.log('answer', value); process.nextTick(console.log, 'tick'); });
        gyre.call('ask').catch((error) => console.log(error.message));
        gyre.call('nobody').catch((error) => console.log(error.message));
        setImmediate(() => console.log('immediate')).unref();
        console.log('not blocked');
    )");
    while (world.loop.has_ready_work()) world.loop.turn();
    EXPECT_EQ(world.system.out, "not blocked\nthe host has no function 'nobody'\n");
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].arguments(), R"([1,"two"])");
    world.system.out.clear();
    calls[0].resolve(R"({"x":1})");
    while (world.loop.has_ready_work()) world.loop.turn();
    EXPECT_EQ(world.system.out, "answer { x: 1 }\ntick\n");
    calls.clear();
    EXPECT_EQ(world.script.run(world.loop), 0);
    EXPECT_TRUE(world.system.out.find("the host dropped the call") != std::string::npos);
}

TEST(Script, a_script_alone_waits_while_the_host_works) {
    // clause: L21
    ScriptWorld world;
    std::vector<Call> calls;
    world.script.add_function("work", [&calls](Call call) { calls.push_back(std::move(call)); });
    world.script.start_text(R"(
        gyre.call('work').then(() => { console.log('done'); clearInterval(timer); });
        let n = 0;
        const timer = setInterval(() => console.log('timer', ++n), 10);
    )");
    while (world.system.out != "timer 1\ntimer 2\ntimer 3\n") world.loop.turn();
    calls[0].resolve("");
    EXPECT_EQ(world.script.run(world.loop), 0);
    EXPECT_EQ(world.system.out, "timer 1\ntimer 2\ntimer 3\ndone\n");
}

TEST(Steps, tell_each_job_with_the_place_of_its_function) {
    std::string steps;
    ScriptWorld world({.on_step = [&](std::string_view line) {
        // Without the column, which is the engine's own.
        steps += line.substr(0, line.ends_with(')') ? line.rfind(':') : line.npos);
        steps += '\n';
    }});
    world.system.files = {{"/a.js",
                           "setTimeout(function later() {}, 5);\n"
                           "setImmediate(() => {});\n"
                           "process.nextTick(function soon() {});\n"
                           "queueMicrotask(() => {});\n"
                           "Promise.resolve().then(() => {});\n"}};
    world.run_file("/a.js");
    EXPECT_EQ(steps,
              "the main script\n"
              "tick: soon (/a.js:3\n"
              "microtask\n"
              "queueMicrotask: (anonymous) (/a.js:4\n"
              "microtask\n"
              "immediate 0: (anonymous) (/a.js:2\n"
              "timer 0: later (/a.js:1\n"
              "beforeExit\n"
              "exit\n");
}

}  // namespace
}  // namespace gyre::script
