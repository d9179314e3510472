// SPDX-License-Identifier: Apache-2.0
// A hundred thousand timers at random moments of the next half second: none may fire early, and the
// scene says how late the latest was.
#include <algorithm>
#include <deque>

#include "cli/tour/stage.hpp"
#include "gyre/base/random.hpp"
#include "gyre/kernel/loop.hpp"

namespace gyre::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t timer_count = 100'000;
constexpr Duration earliest = 50ms;
constexpr Duration spread = 500ms;

class Watcher : public Machine {
public:
    explicit Watcher(Clock& clock) : Machine("watcher"), clock_(clock), timers_(timer_count) {}

    void start(Random random) {
        const Instant first = loop().now() + earliest;
        for (TimerOp& timer : timers_) {
            timer.deadline =
                first + Duration(static_cast<Duration::rep>(random.below(spread.count())));
            submit(timer);
        }
    }

    std::uint64_t fired = 0;
    std::uint64_t fired_early = 0;
    Duration latest{0};
    Duration late_in_all{0};

private:
    void tick(Instant /*now*/) override {
        while (const Op* op = next_completion()) {
            const Duration late = clock_.now() - static_cast<const TimerOp*>(op)->deadline;
            ++fired;
            if (late < Duration(0)) ++fired_early;
            latest = std::max(latest, late);
            late_in_all += late;
        }
    }
    void on_close() override {
        for (TimerOp& timer : timers_) cancel(timer);
    }

    Clock& clock_;
    std::deque<TimerOp> timers_;
};

}  // namespace

bool show_timers(const Stage& stage) {
    stage.page.say("One machine starts " + in_words(timer_count) +
                   " timers that are due at random moments of half a second.");
    const auto platform = stage.make_platform();
    Watcher watcher(stage.clock);
    Loop loop(*platform, watcher, stage.loop_options("timers"));
    const Instant start = stage.clock.now();
    watcher.start(Random(stage.seed));
    const Duration starting = stage.clock.now() - start;
    loop.run();
    stage.page.saw("Starting them took " + in_words(starting) + ". " + in_words(watcher.fired) +
                   " fired, " + in_words(watcher.fired_early) + " of them early; the latest was " +
                   in_words(watcher.latest) + " late, the average " +
                   in_words(watcher.late_in_all / static_cast<Duration::rep>(timer_count)) + ".");
    return watcher.fired == timer_count && watcher.fired_early == 0;
}

}  // namespace gyre::cli
