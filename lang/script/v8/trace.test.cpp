// SPDX-License-Identifier: Apache-2.0
// The jobs of a script in the trace of its loop: functions with their places, and the ops that
// caused them.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "lang/script/script_world.test.hpp"

namespace gyre::script {
namespace {

// The tasks that ran, with what they waited for; the ops that completed.
class Jobs : public Observer {
public:
    struct Run {
        std::string name;
        std::string waited;
        bool has_ended = false;
    };

    void on_complete(const Op& op, const Machine& /*by*/) noexcept override {
        std::ostringstream text;
        text << "op 0x" << std::hex << op.id();
        causes.push_back(text.str());
    }
    void on_task_waits(std::uint64_t /*id*/, std::string_view what,
                       const std::source_location& /*where*/) noexcept override {
        waited_ = what;
    }
    void on_task(TaskEvent event, std::uint64_t /*id*/, std::string_view name) noexcept override {
        if (event == TaskEvent::started) runs.push_back({std::string(name), waited_});
        if (event == TaskEvent::ended) runs.back().has_ended = true;
    }

    [[nodiscard]] std::string names() const {
        std::string all;
        for (const Run& run : runs) all += run.name + "\n";
        return all;
    }
    [[nodiscard]] std::string waited_of(std::string_view start) const {
        for (const Run& run : runs) {
            if (run.name.starts_with(start)) return run.waited;
        }
        return "no such job";
    }
    [[nodiscard]] bool is_op(const std::string& waited) const {
        return std::ranges::find(causes, waited) != causes.end();
    }

    std::vector<Run> runs;
    std::vector<std::string> causes;

private:
    std::string waited_;
};

// Runs a text under the name /app.js.
void run_traced(Jobs& jobs, std::string text, HostFunction function = {}, DirectFunction end = {}) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    MemorySystem system;
    system.files["/app.js"] = std::move(text);
    Script script(clock, system, {.engine = tested::make_engine, .traces_jobs = true});
    if (function) script.add_function("work", std::move(function));
    if (end) script.add_direct_function("end", std::move(end));
    Loop loop(platform, script.pump(), {.observer = &jobs});
    script.start_file("/app.js");
    EXPECT_EQ(script.run(loop), 0) << system.err;
    loop.close();
}

TEST(ScriptTrace, a_job_is_a_task_with_its_function_and_place) {
    Jobs jobs;
    run_traced(jobs, R"(setTimeout(function onTimer() {
  process.nextTick(function onTick() {});
  setImmediate(() => {});
}, 5);
queueMicrotask(function onMicro() {});
)");
    EXPECT_EQ(jobs.names(),
              "the main script\nqueueMicrotask onMicro (app.js:5:32)\ntimer onTimer (app.js:1:28)\n"
              "tick onTick (app.js:2:35)\nimmediate (anonymous) (app.js:3:16)\nbeforeExit\nexit\n");
    for (const Jobs::Run& run : jobs.runs) EXPECT_TRUE(run.has_ended) << run.name;
}

TEST(ScriptTrace, jobs_are_joined_to_the_op_that_caused_them) {
    Jobs jobs;
    run_traced(jobs, R"(setTimeout(function onTimer() {
  setImmediate(function onImmediate() { process.nextTick(function onTick() {}); });
}, 5);
process.nextTick(function first() {});
)");
    EXPECT_EQ(jobs.waited_of("the main script"), "nothing");
    EXPECT_EQ(jobs.waited_of("tick first"), "nothing");
    const std::string timer = jobs.waited_of("timer onTimer");
    EXPECT_TRUE(jobs.is_op(timer)) << timer;
    EXPECT_EQ(jobs.waited_of("immediate onImmediate"), timer);
    EXPECT_EQ(jobs.waited_of("tick onTick"), timer);
}

TEST(ScriptTrace, the_end_of_a_host_call_has_the_cause_of_its_call) {
    Jobs jobs;
    std::optional<Call> waiting;
    run_traced(
        jobs, R"(setTimeout(async function onTimer() {
  setTimeout(function later() { gyre.callDirect('end'); }, 50);
  await gyre.call('work');
}, 5);
)",
        [&waiting](Call call) { waiting.emplace(std::move(call)); },
        [&waiting](std::string_view /*arguments*/) {
            waiting->resolve("1");
            return std::string("null");
        });
    const std::string timer = jobs.waited_of("timer onTimer");
    EXPECT_TRUE(jobs.is_op(timer)) << timer;
    EXPECT_NE(jobs.waited_of("timer later"), timer);
    EXPECT_EQ(jobs.waited_of("then onTimer"), timer);
}

TEST(ScriptTrace, a_reaction_has_the_place_that_registered_it) {
    Jobs jobs;
    run_traced(jobs, R"(function outer() {
  return Promise.resolve(1).then((value) => value);
}
outer();
)");
    EXPECT_EQ(jobs.names(), "the main script\nthen outer (app.js:2:29)\nbeforeExit\nexit\n");
}

TEST(ScriptTrace, functions_beyond_the_limit_share_a_row) {
    Jobs jobs;
    run_traced(jobs, R"(for (let i = 0; i < 5000; i += 1) {
  process.nextTick(Object.defineProperty(() => {}, 'name', { value: `f${i}` }));
}
)");
    const auto others = std::ranges::count(jobs.runs, "other jobs", &Jobs::Run::name);
    EXPECT_GT(others, 800);
    EXPECT_EQ(jobs.runs.size(), 5003u);
}

}  // namespace
}  // namespace gyre::script
