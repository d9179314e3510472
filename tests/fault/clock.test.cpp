// SPDX-License-Identifier: Apache-2.0
// A clock that jumps forwards, jumps back or stands still under a real platform: timers are never
// early, the loop's time never goes back, and I/O goes on.
#include <chrono>
#include <memory>

#include "gyre/io/environment.hpp"
#include "gyre/platform/choose.hpp"
#include "tests/fault/fault_world.hpp"
#include "tests/support/test_clock.hpp"
#include "tests/support/test_world.hpp"

namespace gyre::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

GYRE_ON_REAL_PLATFORMS(ClockFaults);

// The outside of a TestWorld: a real platform, by its name, on a clock that the test moves.
class MovedTime {
public:
    using Options = std::string_view;

    explicit MovedTime(std::string_view name)
        : platform_(std::move(*platform::make_platform(clock, name))) {}

    [[nodiscard]] Platform& platform() noexcept { return *platform_; }
    [[nodiscard]] static Offload* offload() noexcept { return nullptr; }

private:
    platform::SystemClock system_clock_;

public:
    TestClock clock{system_clock_, hours(24)};

private:
    std::unique_ptr<Platform> platform_;
};

struct ClockWorld : TestWorld<TestApp, MovedTime> {
    explicit ClockWorld(std::string_view name) : TestWorld(name) {
        const auto pair = sockets.connection_pair().value();
        near = pair[0];
        far = pair[1];
    }
    ~ClockWorld() {
        loop.close();
        sockets.close_now(near);
        sockets.close_now(far);
    }
    // A turn that does not sleep.
    void look() {
        outside.platform().wake();
        loop.turn();
    }
    // Needs waits that end by I/O, and looks while there is work: both hang if time goes wrong.
    void exchange() {
        std::array<std::byte, 8> buffer{};
        ReceiveOp receive(near, buffer);
        SendOp send(far, bytes_of("ping"));
        app.start(receive);
        look();
        app.start(send);
        while (receive.is_in_flight() || send.is_in_flight()) loop.turn();
        EXPECT_EQ(receive.result(), 4);
    }

    TestClock& clock = outside.clock;
    Sockets& sockets = outside.platform().environment()->sockets();
    Fd near = -1;
    Fd far = -1;
};

TEST_P(ClockFaults, a_jump_forwards_makes_timers_due_and_disturbs_nothing_else) {
    ClockWorld rig(GetParam());
    TimerOp soon(rig.loop.now() + hours(1));
    TimerOp late(rig.loop.now() + hours(100));
    rig.app.start(soon);
    rig.app.start(late);
    rig.look();
    EXPECT_TRUE(soon.is_in_flight());
    rig.clock.jump(hours(2));
    while (soon.is_in_flight()) rig.look();
    EXPECT_GE(rig.loop.now(), soon.deadline);
    EXPECT_TRUE(late.is_in_flight());
    rig.exchange();
    rig.app.stop(late);
    while (late.is_in_flight()) rig.look();
}

// clause: K12
TEST_P(ClockFaults, a_jump_backwards_neither_turns_time_back_nor_fires_a_timer_early) {
    ClockWorld rig(GetParam());
    rig.look();
    const Instant before = rig.loop.now();
    TimerOp timer(before + hours(1));
    rig.app.start(timer);
    rig.clock.jump(-hours(2));
    for (int i = 0; i < 5; ++i) {
        rig.look();
        EXPECT_GE(rig.loop.now(), before);
    }
    rig.exchange();
    rig.clock.jump(hours(2) + milliseconds(1));
    for (int i = 0; i < 5; ++i) rig.look();
    EXPECT_TRUE(timer.is_in_flight());
    rig.clock.jump(hours(1));
    while (timer.is_in_flight()) rig.look();
    EXPECT_GE(rig.loop.now(), timer.deadline);
}

// clause: K12
TEST_P(ClockFaults, a_clock_that_stands_still_fires_nothing_and_holds_up_nobody) {
    ClockWorld rig(GetParam());
    rig.clock.stop();
    rig.look();
    TimerOp due(rig.loop.now());
    TimerOp later(rig.loop.now() + milliseconds(1));
    rig.app.start(due);
    rig.app.start(later);
    while (due.is_in_flight()) rig.loop.turn();
    for (int i = 0; i < 5; ++i) rig.loop.turn();  // Each sleeps its millisecond, in vain.
    EXPECT_TRUE(later.is_in_flight());
    rig.exchange();
    EXPECT_TRUE(later.is_in_flight());
    rig.clock.go_on();
    while (later.is_in_flight()) rig.loop.turn();
    EXPECT_GE(rig.loop.now(), later.deadline);
}

}  // namespace
}  // namespace gyre::test
