// SPDX-License-Identifier: Apache-2.0
// run: whole programs in one call, on every platform.
#include "gyre/app/run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "gyre/app/environment_variable.test.hpp"
#include "gyre/base/log.hpp"
#include "gyre/fs/temporary.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/watch.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/thread/blocking.hpp"
#include "tests/support/platforms.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

bool is_refused(const char* name) {
    platform::SystemClock clock;
    return std::string_view(name) != "sim" && !platform::make_platform(clock, name);
}

class RunProgram : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        if (is_refused(GetParam())) GYRE_SKIP_REFUSED(GetParam(), "by the system");
    }
    [[nodiscard]] static bool is_simulated() { return std::string_view(GetParam()) == "sim"; }
};
GYRE_ON_PLATFORMS(RunProgram, gyre::test::every_platform);

TEST_P(RunProgram, gives_the_exit_status) {
    const ProgramOptions options{.platform = GetParam()};
    EXPECT_EQ(run([]() -> Future<void> { co_await sleep(1ms); }, options), 0);
    EXPECT_EQ(run([]() -> Future<int> { co_return 7; }, options), 7);
    EXPECT_EQ(run(
                  [](Scope& root) -> Future<void> {
                      root.spawn([]() -> Future<void> { co_await sleep(1ms); });
                      co_return;
                  },
                  options),
              0);
}

TEST_P(RunProgram, reports_a_failure_and_a_deadlock) {
    const ProgramOptions options{.platform = GetParam(), .run = {.name = "broken"}};
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(
                  []() -> Future<void> {
                      co_await sleep(1ms);
                      throw std::runtime_error("out of luck");
                  },
                  options),
              1);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("'broken' failed: out of luck"),
              std::string::npos);
    Promise<int> never;
    testing::internal::CaptureStderr();
    EXPECT_EQ(run([&]() -> Future<int> { co_return co_await never.future(); }, options), 3);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("deadlock"), std::string::npos);
}

TEST_P(RunProgram, gives_the_value_to_a_test) {
    Program program({.platform = GetParam()});
    const auto result = run(program, []() -> Future<std::string> { co_return "value"; });
    EXPECT_EQ(result.value(), "value");
}

TEST_P(RunProgram, has_threads_for_blocking_work_and_files) {
    Program program({.platform = GetParam()});
    const auto app = []() -> Future<void> {
        const auto work = [] { return 6 * 7; };
        EXPECT_EQ(co_await blocking(work), 42);
        fs::TemporaryFolder folder = co_await fs::temporary_folder();
        auto changes = co_await fs::watch(folder.path());
        const std::string path = fs::join(folder.path(), "notes");
        co_await fs::write_file(path, "text");
        EXPECT_EQ(co_await fs::read_file(path), "text");
        const auto change = co_await changes.next();
        EXPECT_EQ(change->path, path);
        co_await folder.aclose();
    };
    if (is_simulated()) program.simulation()->put_file("/tmp/first", "");
    EXPECT_EQ(run(program, app).exit_code(), 0);
}

TEST_P(RunProgram, ends_a_program_that_a_signal_cancels) {
    if (is_simulated()) GTEST_SKIP() << "the simulator has signals of its own";
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(
                  []() -> Future<void> {
                      ::raise(SIGTERM);
                      co_await sleep(1h);
                  },
                  {.platform = GetParam()}),
              4);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("SIGTERM"), std::string::npos);
}

Future<ThreadId> number_of_loop() {
    co_return (co_await this_task()).executor().loop().thread_id();
}

TEST_P(RunProgram, of_several_loops_has_main_on_the_first_and_reaches_the_others) {
    std::vector<ThreadId> loops;
    const auto app = [&](Program& program) -> Future<void> {
        EXPECT_EQ(program.loop_count(), 3u);
        loops.push_back(co_await number_of_loop());
        for (std::uint32_t number = 1; number <= program.loop_count(); ++number) {
            loops.push_back(co_await on(program.loop(number), number_of_loop));
        }
    };
    EXPECT_EQ(run(app, {.loops = 3, .platform = GetParam()}), 0);
    const auto expected =
        is_simulated() ? std::vector<ThreadId>{1, 1, 1, 1} : std::vector<ThreadId>{1, 1, 2, 3};
    EXPECT_EQ(loops, expected);
}

TEST_P(RunProgram, of_several_loops_has_blocking_work_on_each) {
    const auto app = [](Program& program) -> Future<void> {
        co_await on_each(program, []() -> Future<void> {
            const auto work = [] { return 6 * 7; };
            EXPECT_EQ(co_await blocking(work), 42);
        });
    };
    EXPECT_EQ(run(app, {.loops = 2, .platform = GetParam()}), 0);
}

TEST_P(RunProgram, on_each_loop_runs_a_function_once) {
    std::array<int, 4> calls{};  // Each loop writes its own.
    const auto app = [&](Program& program) -> Future<void> {
        co_await on_each(program, [&]() -> Future<void> { ++calls[co_await number_of_loop()]; });
    };
    EXPECT_EQ(run(app, {.loops = 3, .platform = GetParam()}), 0);
    const auto expected =
        is_simulated() ? std::array<int, 4>{0, 3, 0, 0} : std::array<int, 4>{0, 1, 1, 1};
    EXPECT_EQ(calls, expected);
}

TEST_P(RunProgram, on_each_cancels_the_others_if_one_fails) {
    Program program({.loops = 2, .platform = GetParam()});
    int call_count = 0;
    const auto app = [&](Program& all) -> Future<std::string> {
        const auto work = [&]() -> Future<void> {
            // The first loop runs its call before another one can fail.
            if (co_await number_of_loop() == 1 && call_count++ == 0) co_await sleep(24h);
            throw std::runtime_error("one is broken");
        };
        try {
            co_await on_each(all, work);
        } catch (const std::runtime_error& error) {
            co_return error.what();
        }
        co_return "none failed";
    };
    EXPECT_EQ(run(program, app).value(), "one is broken");
}

// Says in its destructor that a task has ended.
struct Witness {
    explicit Witness(int* count) : count_(count) {}
    ~Witness() { ++*count_; }
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;

private:
    int* count_;
};

Future<void> wait_for_ever(int* ended_count) {
    const Witness witness(ended_count);
    co_await sleep(24h);
}

Future<void> leave_a_task(int* ended_count) {
    (co_await this_task()).executor().root().spawn(wait_for_ever, ended_count);
}

TEST_P(RunProgram, that_ends_cancels_what_is_left_on_its_other_loops) {
    int ended_count = 0;
    const auto app = [&](Program& program) -> Future<void> {
        co_await on(program.loop(2), leave_a_task, &ended_count);
    };
    EXPECT_EQ(run(app, {.loops = 2, .platform = GetParam()}), 0);
    EXPECT_EQ(ended_count, 1);
}

// The other loop is in the middle of calls to the first one when the program ends.
Future<void> call_back(Program* program) {
    try {
        for (;;) static_cast<void>(co_await on(program->loop(1), number_of_loop));
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::owner_dead);
    }
}

Future<void> leave_calls(Program* program) {
    (co_await this_task()).executor().root().spawn(call_back, program);
}

TEST_P(RunProgram, ends_while_its_loops_call_each_other) {
    if (is_simulated())
        GTEST_SKIP() << "there the task is one of the first loop, and keeps it alive";
    for (int round = 0; round < 20; ++round) {
        const auto app = [](Program& program) -> Future<void> {
            co_await on(program.loop(2), leave_calls, &program);
        };
        EXPECT_EQ(run(app, {.loops = 3, .platform = GetParam()}), 0);
    }
}

// What the log says, from any thread.
class LogListener {
public:
    LogListener() {
        set_log_sink([](LogLevel, std::string_view line) {
            const std::lock_guard lock(mutex);
            text.append(line).append("\n");
            changed.notify_all();
        });
    }
    ~LogListener() {
        set_log_sink(nullptr);
        text.clear();
    }
    static void wait_for(std::string_view words) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [words] { return text.find(words) != std::string::npos; });
    }

private:
    static inline std::mutex mutex;
    static inline std::condition_variable changed;
    static inline std::string text;
};

TEST_P(RunProgram, has_a_watchdog_for_each_of_its_loops) {
    if (is_simulated()) GTEST_SKIP() << "nothing is timed there";
    const LogListener listener;
    const auto app = [](Program& program) -> Future<void> {
        const auto block = []() -> Future<void> {
            co_await sleep(1ns);
            LogListener::wait_for("the loop is blocked for over 1 ms by task");
        };
        co_await on(program.loop(2), block);
    };
    EXPECT_EQ(run(app, {.loops = 2, .platform = GetParam(), .run = {.blocked_after = 1ms}}), 0);
}

TEST(RunSimulated, a_day_passes_at_once) {
    Program program({.platform = "sim"});
    const Instant start = program.clock().now();
    EXPECT_EQ(run(program, []() -> Future<void> { co_await sleep(24h); }).exit_code(), 0);
    EXPECT_EQ(program.clock().now() - start, 24h);
}

TEST(RunSimulated, files_and_signals_are_those_of_the_simulation) {
    Program program({.platform = "sim"});
    program.simulation()->put_file("/etc/motd", "simulated");
    const auto app = [&]() -> Future<std::string> {
        const std::string text = co_await fs::read_file("/etc/motd");
        program.simulation()->raise(SIGINT);
        co_await sleep(1h);
        co_return text;
    };
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(program, app).exit_code(), 4);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("SIGINT"), std::string::npos);
}

TEST(RunStart, a_wrong_platform_is_one_line_and_exit_status_2) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run([]() -> Future<void> { co_return; }, {.platform = "abacus"}), 2);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "gyre: there is no platform 'abacus': choose uring, epoll, best or sim\n");
}

}  // namespace
}  // namespace gyre
