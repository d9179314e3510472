// SPDX-License-Identifier: Apache-2.0
// Assertions of the kernel, the platforms and the modules right above them.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gyre/job/host.hpp"
#include "gyre/job/pump.hpp"
#include "gyre/kernel/family.test.hpp"
#include "gyre/net/connection.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/pool/thread_pool.hpp"
#include "gyre/sim/internal/timeline.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "gyre/sim/world.hpp"
#include "gyre/task/core/future.hpp"
#include "tests/support/fake_platform.hpp"
#include "tests/support/private_member.hpp"
#include "tests/support/test_machine.hpp"

namespace {
bool has_monotonic_clock = true;
}  // namespace

// Replaces the function of the C library in this program.
extern "C" int clock_gettime(clockid_t id, timespec* time) noexcept {
    if (!has_monotonic_clock && id == CLOCK_MONOTONIC) return -1;
    return static_cast<int>(::syscall(SYS_clock_gettime, id, time));
}

namespace gyre::test {

struct ChildTowards {
    friend constexpr auto member_of(ChildTowards tag);
};
template struct PrivateMember<ChildTowards, &Machine::child_towards>;

struct ReceiveAll {
    friend constexpr auto member_of(ReceiveAll tag);
};
template struct PrivateMember<ReceiveAll, &Machine::receive_all>;

struct StepWhileClosing {
    friend constexpr auto member_of(StepWhileClosing tag);
};
template struct PrivateMember<StepWhileClosing, &sim::World::step_while_closing>;

}  // namespace gyre::test

namespace gyre {
namespace {

TEST(KernelAssertionDeathTest, an_op_for_a_machine_that_is_not_below_its_parent) {
    test::FakePlatform platform;
    test::TestMachine app("app");
    Loop loop(platform, app);
    EXPECT_DEATH(static_cast<void>((app.*member_of(test::ChildTowards{}))(app.ref())),
                 "machine [0-9]+ is not below app");
    loop.close();
}

TEST(KernelAssertionDeathTest, ops_that_the_loop_gives_to_a_child) {
    test::Family family;
    test::CustomOp op;
    OpQueue ops;
    ops.push_back(op);
    EXPECT_DEATH((family.child.*member_of(test::ReceiveAll{}))(Lane::submissions, ops),
                 "the in port of child is written by the loop: only its parent may");
    static_cast<void>(ops.pop_front());
}

TEST(KernelAssertionDeathTest, a_timer_that_another_machine_moves) {
    TimerOp timer(Instant(1'000));
    test::Family family;
    family.app.submit(timer);
    EXPECT_DEATH(static_cast<void>(family.child.reschedule(timer, Instant(2'000))),
                 "timer op [0-9]+ is moved by child, which did not submit it");
}

TEST(PlatformAssertionDeathTest, a_system_without_a_monotonic_clock) {
    platform::SystemClock clock;
    EXPECT_DEATH(
        {
            has_monotonic_clock = false;
            static_cast<void>(clock.now());
        },
        "the system has no monotonic clock");
}

TEST(PoolAssertionDeathTest, a_queue_without_room) {
    EXPECT_DEATH((pool::ThreadPool({.queued_count_max = 0})),
                 "queued_count_max is 0: allow at least one queued job");
}

TEST(SimAssertionDeathTest, an_event_that_is_scheduled_twice) {
    struct Event : sim::TimelineEvent {
        using TimelineEvent::TimelineEvent;
        void fire() noexcept override {}
    };
    Random random(1);
    sim::Timeline timeline(random);
    Event event(timeline);
    event.schedule_at(Instant(5));
    EXPECT_DEATH(event.schedule_at(Instant(6)),
                 "the event is scheduled already: withdraw it first");
}

TEST(SimAssertionDeathTest, a_clock_that_is_moved_to_never) {
    sim::VirtualClock clock;
    EXPECT_DEATH(
        clock.advance_to(Instant::never()),
        "the clock cannot move to Instant::never\\(\\): find an event or a deadline first");
}

TEST(SimAssertionDeathTest, a_world_that_is_stepped_by_a_loop_that_does_not_close) {
    sim::VirtualClock clock;
    sim::World world(clock);
    EXPECT_DEATH((world.*member_of(test::StepWhileClosing{}))(),
                 "only the platform of a closing loop may step the world");
}

TEST(TaskAssertionDeathTest, a_future_that_was_moved_from) {
    const auto one = []() -> Future<int> { co_return 1; };
    Future<int> future = one();
    const Future<int> other = std::move(future);
    EXPECT_DEATH(static_cast<void>(future.release()),  // NOLINT(bugprone-use-after-move)
                 "this future is empty: it was moved from, awaited, or polled before");
}

TEST(NetAssertionDeathTest, a_read_into_an_empty_buffer) {
    const net::Connection stream;
    EXPECT_DEATH(static_cast<void>(stream.read({})),
                 "a read into an empty buffer would look like the end of the stream");
}

TEST(JobAssertionDeathTest, a_pump_that_is_started_without_a_loop) {
    sim::VirtualClock clock;
    job::Host host;
    job::Scheduler scheduler(clock, host);
    job::Pump pump(scheduler);
    EXPECT_DEATH(pump.start(), "start the pump when it is attached to a loop");
}

}  // namespace
}  // namespace gyre
