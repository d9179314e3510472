// SPDX-License-Identifier: Apache-2.0
// Jobs of small C++ callbacks allocate nothing once their queues have grown.
#include <gtest/gtest.h>

#include "gyre/job/pump.hpp"
#include "gyre/sim/platform.hpp"
#include "tests/allocation/counting.hpp"

namespace gyre::allocation {
namespace {

using namespace std::chrono_literals;

// Every kind of job, again and again, some cleared before they run.
class Work {
public:
    explicit Work(job::Scheduler& jobs) : jobs_(jobs) {}

    void round() {
        ++rounds;
        for (int i = 0; i < 10; ++i) {
            jobs_.next_tick([this] { ++ran; });
            jobs_.queue_microtask([this] { ++ran; });
            jobs_.set_immediate([this] { ++ran; });
            jobs_.clear_timeout(jobs_.set_timeout([this] { ++ran; }, i * 1ms));
            jobs_.set_timeout([this] { ++ran; }, i * 1ms);
        }
        jobs_.queue_callback([this] { ++ran; });
        jobs_.post([this] { ++ran; });
        jobs_.set_timeout([this] { round(); }, 7ms);
    }

    std::uint64_t rounds = 0;
    std::uint64_t ran = 0;

private:
    job::Scheduler& jobs_;
};

TEST(SteadyJobs, of_every_kind_allocate_nothing) {
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);
    job::Host host;
    job::Scheduler jobs(clock, host);
    job::Pump pump(jobs);
    Loop loop(platform, pump);
    Work work(jobs);
    pump.start([&work] { work.round(); });
    while (work.rounds < 100) loop.turn();
    const Since since;
    while (work.rounds < 1'000) loop.turn();
    EXPECT_EQ(since.count(), 0u);
    EXPECT_GT(work.ran, 40'000u - 1'000u);
    loop.close();
}

}  // namespace
}  // namespace gyre::allocation
