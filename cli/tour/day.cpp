// SPDX-License-Identifier: Apache-2.0
// A day on a simulated platform: a weather station reports every minute over a simulated
// connection. The same seed gives the same trace, line by line; another seed gives another one.
#include <array>
#include <string>

#include "cli/tour/stage.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/io/socket_ops.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/trace_recorder.hpp"

namespace gyre::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t report_count = 24 * 60;

class Station : public Machine {
public:
    Station(Fd station, Fd office)
        : Machine("station"), send_(station, bytes_of("21 degrees")), receive_(office, buffer_) {}

    void start() {
        submit(receive_);
        wait_a_minute();
    }

    std::uint64_t reports = 0;
    std::uint64_t received_bytes = 0;

private:
    void tick(Instant /*now*/) override {
        while (const Op* op = next_completion()) {
            if (op == &minute_) {
                submit(send_);
            } else if (op == &send_) {
                ++reports;
                reports < report_count ? wait_a_minute() : cancel(receive_);
            } else if (op->result() > 0) {
                received_bytes += static_cast<std::uint64_t>(op->result());
                submit(receive_);
            }
        }
    }

    void wait_a_minute() {
        minute_.deadline = loop().now() + 1min;
        submit(minute_);
    }

    std::array<std::byte, 64> buffer_{};
    TimerOp minute_;
    SendOp send_;
    ReceiveOp receive_;
};

struct Day {
    std::string trace;
    std::uint64_t reports = 0;
    Duration passed{0};
};

Day live_a_day(std::uint64_t seed) {
    Day day;
    sim::TraceRecorder recorder(day.trace, "loop");
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock, {.seed = seed});
    const auto wire = platform.environment()->sockets().connection_pair().value();
    Station station(wire[0], wire[1]);
    Loop loop(platform, station, {.observer = &recorder});
    const Instant start = loop.now();
    station.start();
    loop.run();
    day.reports = station.reports;
    day.passed = loop.now() - start;
    for (const Fd fd : wire) platform.environment()->sockets().close_now(fd);
    return day;
}

}  // namespace

bool show_day(const Stage& stage) {
    stage.page.say(
        "A weather station sends a report every minute for a day, on a simulated platform "
        "whose clock moves when nothing can run. Chance comes from the seed alone, so the "
        "same seed must leave the same trace.");
    const Instant start = stage.clock.now();
    const Day first = live_a_day(stage.seed);
    const Duration took = stage.clock.now() - start;
    const Day second = live_a_day(stage.seed);
    const Day other = live_a_day(stage.seed + 1);
    const bool is_same = first.trace == second.trace;
    const bool differs = first.trace != other.trace;
    const auto hours = std::chrono::floor<std::chrono::hours>(first.passed).count();
    stage.page.saw(std::to_string(hours) + " hours with " + in_words(first.reports) +
                   " reports took " + in_words(took) + ". The trace of " +
                   bytes_in_words(first.trace.size()) + " was " +
                   (is_same ? "the same" : "not the same") + " the second time, and " +
                   (differs ? "another one" : "still the same") + " with another seed.");
    return is_same && differs && first.reports == report_count && first.passed >= 24h;
}

}  // namespace gyre::cli
