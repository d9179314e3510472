// SPDX-License-Identifier: Apache-2.0
// Daemons: Scope::spawn_daemon, in scopes, in the root scope of run, and beside a deadlock.
#include <gtest/gtest.h>

#include <string>

#include "gyre/sim/platform.hpp"
#include "gyre/task/combine/shield.hpp"
#include "gyre/task/core/frame_check.test.hpp"
#include "gyre/task/core/promise.hpp"
#include "gyre/task/core/run.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/task/core/task_world.test.hpp"
#include "gyre/task/sync/event.hpp"
#include "gyre/task/thread/waker.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

struct Notes {
    int ticks = 0;
    int cancels = 0;
    int clean_ups = 0;
};

// Ticks every second until it is cancelled; then a clean-up of two seconds.
Future<void> tick(Notes* notes) {
    std::exception_ptr cancelled;
    for (;;) {
        try {
            co_await sleep(1s);
            ++notes->ticks;
        } catch (const Cancelled&) {
            cancelled = std::current_exception();
            ++notes->cancels;
        }
        if (cancelled) break;
    }
    co_await sleep(2s);
    ++notes->clean_ups;
    std::rethrow_exception(cancelled);
}

TEST(Daemons, are_cancelled_once_when_only_daemons_are_left_in_their_scope) {
    const FrameCheck frames;
    TaskWorld world;
    Notes first;
    Notes second;
    const Instant began_at = world.clock.now();
    world.spawn([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn_daemon(tick, &first).set_name("first");
            const auto quick = [](Notes* notes) -> Future<void> {
                try {
                    co_await sleep(1h);
                } catch (const Cancelled& e) {
                    EXPECT_EQ(e.reason().why, "only daemons are left in its scope");
                    ++notes->cancels;
                    throw;
                }
            };
            scope.spawn_daemon(quick, &second);
            const auto work = []() -> Future<void> { co_await sleep(3500ms); };
            const auto longer = []() -> Future<void> { co_await sleep(4s); };
            const auto shielded = [longer]() -> Future<void> { co_await shield(longer()); };
            scope.spawn_daemon(shielded);  // still in its shield when the second one ends
            scope.spawn(work);
            co_return;
        });
        EXPECT_EQ(world.loop.now() - began_at, 5500ms);
    });
    EXPECT_EQ(world.loop.run(), Loop::End::idle) << "ended daemons keep nothing alive";
    EXPECT_EQ(first.ticks, 3);
    EXPECT_EQ(first.cancels, 1);
    EXPECT_EQ(first.clean_ups, 1) << "the end of the second daemon must not cancel it again";
    EXPECT_EQ(second.cancels, 1);
}

TEST(Daemons, of_a_scope_that_is_joined_without_other_tasks_end) {
    TaskWorld world;
    Notes notes;
    world.run([&]() -> Future<void> {
        Task& self = co_await this_task();
        Scope scope(self.executor(), &self);
        scope.spawn_daemon(tick, &notes);
        co_await sleep(2500ms);
        co_await scope.join();
    });
    EXPECT_EQ(notes.ticks, 2);
    EXPECT_EQ(notes.clean_ups, 1);
}

TEST(Daemons, that_are_cancelled_are_waited_for_like_other_tasks) {
    TaskWorld world;
    bool has_ended = false;
    world.run([&]() -> Future<void> {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            Event ended;
            auto daemon = scope.spawn_daemon([&]() -> Future<void> {
                try {
                    co_await sleep(1h);
                } catch (const Cancelled&) {
                }
                co_await sleep(1s);
                ended.set();
            });
            co_await sleep(1ms);
            daemon.cancel("not needed");
            co_await ended.wait();
            has_ended = true;
        });
    });
    EXPECT_TRUE(has_ended);
}

struct RunWithDaemons : testing::Test {
    template <class F>
    auto run_and_listen(F main, RunOptions options = {}) {
        testing::internal::CaptureStderr();
        auto result = run(platform, std::move(main), std::move(options));
        said = testing::internal::GetCapturedStderr();
        return result;
    }

    const FrameCheck frames;
    sim::VirtualClock clock;
    sim::SimPlatform platform{clock};
    Notes notes;
    std::string said;
};

TEST_F(RunWithDaemons, ends_when_the_other_tasks_have_ended) {
    const auto result = run_and_listen([this](Scope& root) -> Future<int> {
        root.spawn_daemon(tick, &notes);
        const auto work = []() -> Future<void> { co_await sleep(5500ms); };
        root.spawn(work);
        co_return 7;
    });
    EXPECT_EQ(result.exit_code(), 7);
    EXPECT_EQ(notes.ticks, 5);
    EXPECT_EQ(notes.clean_ups, 1) << "they are joined";
    EXPECT_EQ(said, "");
}

TEST_F(RunWithDaemons, waits_for_the_shielded_work_of_one_that_has_to_end) {
    const auto result = run_and_listen([this](Scope& root) -> Future<int> {
        const auto save = [this]() -> Future<void> {
            const auto write = [this]() -> Future<void> {
                co_await sleep(10s);
                ++notes.clean_ups;
            };
            co_await shield(write());
        };
        root.spawn_daemon(save);
        co_await sleep(1s);
        co_return 7;
    });
    EXPECT_EQ(result.exit_code(), 7);
    EXPECT_EQ(notes.clean_ups, 1);
    EXPECT_EQ(said, "");
}

TEST_F(RunWithDaemons, finds_a_deadlock_of_the_others) {
    Event never;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        root.spawn_daemon(tick, &notes).set_name("ticker");
        co_await never;
        co_return 0;
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_EQ(notes.clean_ups, 1);
    EXPECT_NE(said.find("deadlock: "), std::string::npos) << said;
    EXPECT_NE(said.find("task 2 'ticker' (daemon): waiting on sleep"), std::string::npos) << said;
    EXPECT_EQ(said.find("did not end"), std::string::npos) << said;
}

TEST_F(RunWithDaemons, counts_the_tasks_in_their_scopes_as_theirs) {
    Event never;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        const auto nested = [this]() -> Future<void> {
            co_await with_scope([this](Scope& scope) -> Future<void> {
                scope.spawn(tick, &notes);
                co_await sleep(1h);
            });
        };
        root.spawn_daemon(nested);
        co_await never;
        co_return 0;
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_EQ(notes.clean_ups, 1);
}

TEST_F(RunWithDaemons, does_not_stay_for_a_waker_of_a_daemon) {
    std::optional<Waker> kept;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        const auto wait = [&kept]() -> Future<void> {
            co_await poll_with([&kept](const Waker& waker) -> Poll<int> {
                kept = waker;
                return pending;
            });
        };
        root.spawn_daemon(wait);
        co_return 5;
    });
    EXPECT_EQ(result.exit_code(), 5);
    kept.reset();
}

TEST_F(RunWithDaemons, one_that_does_not_end_is_in_a_deadlock_as_any_other_task) {
    Event never;
    const auto result = run_and_listen([&](Scope& root) -> Future<int> {
        const auto deaf = [&never]() -> Future<void> {
            try {
                co_await sleep(1h);
            } catch (const Cancelled&) {
            }
            co_await never;
        };
        root.spawn_daemon(deaf).set_name("deaf");
        co_await sleep(1ms);
        co_return 0;
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_NE(said.find("'deaf' (daemon): waiting on an event"), std::string::npos) << said;
}

}  // namespace
}  // namespace gyre
