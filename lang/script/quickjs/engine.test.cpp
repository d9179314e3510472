// SPDX-License-Identifier: Apache-2.0
// What is QuickJS's own: its heap, its stacks, its modules, its queue. The tests of scripts in
// lang/script/v8 run on it too.
#include "lang/script/quickjs/engine.hpp"

#include <gtest/gtest.h>

#include "lang/script/script_world.test.hpp"

namespace gyre::script {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20u;

Outcome start(Engine& engine, std::string_view text) {
    const LibraryFile file{.name = "test", .text = text};
    return engine.start(std::span(&file, 1), {}, nullptr, "{}");
}

TEST(QuickJs, runs_as_many_microtasks_as_it_is_told) {
    const auto engine = quickjs::make_engine({});
    ASSERT_EQ(start(*engine,
                    "for (let i = 0; i < 10; i += 1) host.engine.queueMicrotask(() => {});"
                    "Promise.resolve().then(() => {}).then(() => {});"),
              Outcome::done);
    job::JobSource& jobs = engine->microtasks();
    EXPECT_EQ(jobs.run_some(3).count, 3u);
    EXPECT_EQ(jobs.pending(), 1u);
    EXPECT_EQ(jobs.run_some(8).count, 8u);
    EXPECT_EQ(jobs.run_some(100).count, 1u);
    EXPECT_EQ(jobs.pending(), 0u);
}

TEST(QuickJs, runs_jobs_of_the_host_behind_those_of_the_script) {
    const auto engine = quickjs::make_engine({});
    ASSERT_EQ(start(*engine, "host.engine.queueMicrotask(() => { host.shared[0] = 1; });"),
              Outcome::done);
    std::int32_t seen = 0;
    engine->microtasks().queue([&] { seen = engine->shared_words()[0]; });
    engine->microtasks().queue([] { throw std::runtime_error("of the host"); });
    const job::JobsRun ran = engine->microtasks().run_some(100);
    EXPECT_EQ(ran.count, 3u);
    EXPECT_NE(ran.error, nullptr);
    EXPECT_EQ(seen, 1);
}

TEST(QuickJs, a_job_that_was_not_run_is_dropped_with_the_engine) {
    const auto held = std::make_shared<int>(1);
    {
        const auto engine = quickjs::make_engine({});
        engine->microtasks().queue([held] {});
        EXPECT_EQ(held.use_count(), 2);
    }
    EXPECT_EQ(held.use_count(), 1);
}

TEST(QuickJs, a_lazy_file_of_the_library_runs_when_it_is_asked_for) {
    const auto engine = quickjs::make_engine({});
    static constexpr LibraryFile files[] = {
        {.name = "first",
         .text = "host.shared[1] = 1; host.engine.compileLibrary('later')(host, shelf);"},
        {.name = "later", .text = "host.shared[0] = host.shared[1] + 1;", .is_lazy = true},
        {.name = "never", .text = "throw new Error('ran')", .is_lazy = true},
    };
    ASSERT_EQ(engine->start(files, {}, nullptr, "{}"), Outcome::done) << engine->thrown_text();
    EXPECT_EQ(engine->shared_words()[0], 2);
}

TEST(QuickJs, a_lazy_file_that_the_library_does_not_have_is_an_error) {
    const auto engine = quickjs::make_engine({});
    EXPECT_EQ(start(*engine, "host.engine.compileLibrary('none')"), Outcome::threw);
    EXPECT_EQ(engine->thrown_text(), "Error: the host library has no such file");
}

TEST(QuickJs, a_library_that_throws_is_an_outcome) {
    const auto engine = quickjs::make_engine({});
    EXPECT_EQ(start(*engine, "throw new Error('no')"), Outcome::threw);
    EXPECT_EQ(engine->thrown_text(), "Error: no");
}

TEST(QuickJs, garbage_in_cycles_is_collected_before_the_memory_limit_ends_a_script) {
    ScriptWorld world({.memory_limit_bytes = 16 * megabyte});
    EXPECT_EQ(
        world.run("for (let i = 0; i < 4000; i += 1) { const a = { b: new Array(2000).fill(i) "
                  "}; a.self = a; } console.log('done');"),
        "done\n")
        << world.system.err;
    EXPECT_EQ(world.status, 0);
}

TEST(QuickJs, a_script_that_catches_every_error_ends_at_its_memory_limit) {
    // However full the memory is when the script is interrupted. The second script uses it up to the
    // last object, and then needs none.
    const std::string fills = "try { for (;;) chain = { chain }; } catch { }";
    for (const std::string& rest :
         {std::string(), fills + " for (;;) try { for (;;); } catch { }"}) {
        for (int i = 0; i < 8; ++i) {
            ScriptWorld world({.memory_limit_bytes = 16 * megabyte});
            world.run("const padding = new Array(" + std::to_string(i * 250) +
                      ").fill(0); const keep = []; let chain = null; for (;;) try { "
                      "keep.push(new Array(1000).fill(0)); } catch { " +
                      rest + " } finally { keep.length; }");
            EXPECT_EQ(world.status, 4);
            EXPECT_EQ(world.script.why_stopped(), Stop::memory_limit);
        }
    }
}

TEST(QuickJs, a_stack_is_that_of_V8) {
    ScriptWorld world;
    EXPECT_EQ(
        world.run(R"(function f() { return new TypeError('no'); }
        const e = f();
        console.log(e.stack.split('\n').slice(0, 2).join('|'));
        const named = new Error('m');
        named.name = 'Named';
        console.log(named.stack.split('\n')[0]);
        named.name = 'Later';
        console.log(named.stack.split('\n')[0], Object.keys(named));
        const o = {};
        Error.captureStackTrace(o);
        console.log(o.stack.split('\n')[0]);
        named.stack = undefined;
        console.log(named.stack);
        Error.prepareStackTrace = (error, sites) => [error.message, sites[0].getFunctionName()];
        console.log(f().stack);
    )"),
        "TypeError: no|    at f ([eval]:1:27)\nNamed: m\nNamed: m [ 'name' ]\nError\nundefined\n"
        "[ 'no', 'f' ]\n")
        << world.system.err;
}

TEST(QuickJs, an_uncaught_error_shows_its_source_line) {
    ScriptWorld world;
    world.system.files = {{"/a.js", "const a = 1;\n\tnull.x;\n"}};
    world.run_file("/a.js");
    EXPECT_EQ(world.status, 1);
    EXPECT_TRUE(world.system.err.starts_with("/a.js:2\n\tnull.x;\n\t")) << world.system.err;
}

// A module that failed stays whole: others point to it.
TEST(QuickJs, a_missing_import_in_a_cycle_fails_every_module_of_it) {
    ScriptWorld world;
    world.system.files = {
        {"/main.mjs",
         "for (const name of ['./a.mjs', './b.mjs', './a.mjs', './ok.mjs']) {"
         "  try { console.log(Object.keys(await import(name))); }"
         "  catch (e) { console.log(name, e.code ?? e.name); } }"},
        {"/a.mjs", "import './b.mjs'; import './nowhere.mjs'; export const a = 1;"},
        {"/b.mjs", "import { a } from './a.mjs'; export const b = a;"},
        {"/ok.mjs", "export const ok = 1;"},
    };
    EXPECT_EQ(world.run_file("/main.mjs"),
              "./a.mjs ERR_MODULE_NOT_FOUND\n./b.mjs ERR_MODULE_NOT_FOUND\n"
              "./a.mjs ERR_MODULE_NOT_FOUND\n[ 'ok' ]\n")
        << world.system.err;
}

TEST(QuickJs, a_syntax_error_in_an_imported_module_is_told_with_its_place) {
    ScriptWorld world;
    world.system.files = {{"/main.mjs", "import './bad.mjs';"}, {"/bad.mjs", "let a = ;\n"}};
    world.run_file("/main.mjs");
    EXPECT_EQ(world.status, 1);
    EXPECT_TRUE(world.system.err.starts_with("file:///bad.mjs:1\nlet a = ;\n        ^"))
        << world.system.err;
}

TEST(QuickJs, import_attributes_are_read) {
    ScriptWorld world;
    world.system.files = {{"/main.mjs",
                           "import one from './d.json' with { type: 'json' };"
                           "const two = await import('./d.json', { with: { type: 'json' } });"
                           "console.log(one === two.default, one);"},
                          {"/d.json", "[1]"}};
    EXPECT_EQ(world.run_file("/main.mjs"), "true [ 1 ]\n") << world.system.err;
}

TEST(QuickJs, async_contexts_follow_promises_and_await) {
    ScriptWorld world;
    EXPECT_EQ(world.run(R"(
        const { AsyncLocalStorage } = require('node:async_hooks');
        const store = new AsyncLocalStorage();
        const read = async (name) => {
          await null; await new Promise((done) => setTimeout(done, 1));
          console.log(name, store.getStore());
        };
        store.run(1, () => read('a'));
        store.run(2, () => Promise.resolve().then(() => console.log('b', store.getStore())));
        read('c');
    )"),
              "b 2\na 1\nc undefined\n")
        << world.system.err;
}

TEST(QuickJs, surrogates_without_a_partner_are_replaced) {
    ScriptWorld world;
    EXPECT_EQ(world.run(R"(process.stdout.write('\ud800x\u{1f600}\udc00\n'))"),
              "\xef\xbf\xbdx\xf0\x9f\x98\x80\xef\xbf\xbd\n");
}

}  // namespace
}  // namespace gyre::script
