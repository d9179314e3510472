// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/detail/spin.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_platform.hpp"
#include "tests/support/test_clock.hpp"
#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using namespace std::chrono_literals;

struct SpinOfFiftyMicroseconds : ::testing::Test {
    test::TestClock clock{Instant(1'000'000)};
    int readings = 0;
    Spin spin{50us};

    // Each reading takes a microsecond.
    SpinOfFiftyMicroseconds() {
        clock.on_read = [this](Instant) {
            ++readings;
            clock.jump(1us);
        };
    }
    bool look_in_vain(Instant until = Instant::never()) {
        return spin.look(clock, until, [] { return false; });
    }
    bool look_and_find() {
        return spin.look(clock, Instant::never(), [] { return true; });
    }
};

TEST_F(SpinOfFiftyMicroseconds, finds_what_is_there_without_waiting) {
    EXPECT_TRUE(look_and_find());
    EXPECT_EQ(readings, 1);
    EXPECT_EQ(spin.window(), 50us);
}

TEST_F(SpinOfFiftyMicroseconds, finds_what_comes_while_it_looks) {
    int looks = 0;
    EXPECT_TRUE(spin.look(clock, Instant::never(), [&looks] { return ++looks == 100; }));
    EXPECT_EQ(looks, 100);
}

TEST_F(SpinOfFiftyMicroseconds, gives_up_at_the_end_of_its_window) {
    const Instant start = clock.peek();
    EXPECT_FALSE(look_in_vain());
    EXPECT_GE(clock.peek() - start, 50us);
    EXPECT_LE(clock.peek() - start, 52us);
}

TEST_F(SpinOfFiftyMicroseconds, gives_up_at_the_deadline) {
    const Instant start = clock.peek();
    EXPECT_FALSE(look_in_vain(start + 10us));
    EXPECT_LE(clock.peek() - start, 11us);
}

TEST_F(SpinOfFiftyMicroseconds, gives_up_although_the_clock_stands_still) {
    test::TestClock stopped;
    EXPECT_FALSE(spin.look(stopped, Instant::never(), [] { return false; }));
}

TEST_F(SpinOfFiftyMicroseconds,
       looks_half_as_long_after_each_time_in_vain_and_in_the_end_not_at_all) {
    for (const Duration expected : {25'000ns, 12'500ns, 6'250ns, 3'125ns, 1'562ns, 781ns}) {
        EXPECT_FALSE(look_in_vain());
        EXPECT_EQ(spin.window(), expected);
    }
    const int readings_before = readings;
    bool has_looked = false;
    EXPECT_FALSE(spin.look(clock, Instant::never(), [&has_looked] { return has_looked = true; }));
    EXPECT_FALSE(has_looked);
    EXPECT_EQ(readings, readings_before);
}

TEST_F(SpinOfFiftyMicroseconds, that_paid_is_as_long_as_at_first) {
    EXPECT_FALSE(look_in_vain());
    EXPECT_FALSE(look_in_vain());
    EXPECT_TRUE(look_and_find());
    EXPECT_EQ(spin.window(), 50us);
}

TEST_F(SpinOfFiftyMicroseconds, starts_again_after_a_short_sleep_and_not_after_a_long_one) {
    while (spin.window() >= 1us) EXPECT_FALSE(look_in_vain());
    const Duration closed = spin.window();
    spin.note_sleep(50us);
    EXPECT_EQ(spin.window(), closed);
    spin.note_sleep(49us);
    EXPECT_EQ(spin.window(), 50us);
    EXPECT_TRUE(look_and_find());
}

TEST(Spin, of_no_length_never_looks) {
    test::TestClock clock;
    int readings = 0;
    clock.on_read = [&readings](Instant) { ++readings; };
    Spin spin(0ns);
    EXPECT_FALSE(spin.look(clock, Instant::never(), [] { return true; }));
    spin.note_sleep(0ns);
    EXPECT_FALSE(spin.look(clock, Instant::never(), [] { return true; }));
    EXPECT_EQ(readings, 0);
}

// Its time advances with each reading, as real time does.
class LookedAtPlatform final : public test::FakePlatform {
public:
    [[nodiscard]] bool is_simulated() const noexcept override { return false; }
    [[nodiscard]] Instant now() noexcept override {
        ++readings;
        return time = time + 1us;
    }
    int readings = 0;
};

TEST(Spin, of_a_loop_that_has_only_timers_ends_and_then_it_waits_for_their_deadlines) {
    LookedAtPlatform platform;
    test::TestMachine app;
    Loop loop(platform, app, {.spin_max = 50us});
    TimerOp timer(platform.time + 100ms);
    app.on_completion = [&](Op& op) {
        if (op.is_cancelled()) return;
        timer.deadline = loop.now() + 100ms;
        app.submit(timer);
    };
    app.on_closing = [&] { app.cancel(timer); };
    app.submit(timer);
    for (int i = 0; i < 10; ++i) loop.turn();
    platform.readings = 0;
    platform.waits.clear();
    std::vector<Instant> deadlines;
    for (int i = 0; i < 10; ++i) {
        deadlines.push_back(timer.deadline);
        loop.turn();
    }
    EXPECT_EQ(platform.readings, 0);
    EXPECT_EQ(platform.waits, deadlines);
    loop.close();
}

}  // namespace
}  // namespace gyre
