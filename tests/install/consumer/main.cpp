// SPDX-License-Identifier: Apache-2.0
// A stranger's program: a timer on a real loop and one in virtual time, a task on each of them,
// a table of the conformance kit, then the version it was compiled against. Linked with every
// installed module, so that a library or a header missing from the installation fails here.
#include <cstdio>

#include "gyre/app/run.hpp"
#include "gyre/base/version.hpp"
#include "gyre/conform/scenario.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/task/async.hpp"

class Sleeper : public gyre::Machine {
public:
    Sleeper() : Machine("sleeper") {}

    void sleep(gyre::Duration delay) {
        timer_.deadline = loop().now() + delay;
        submit(timer_);
    }
    [[nodiscard]] bool is_awake() const { return is_awake_; }

private:
    void tick(gyre::Instant /*now*/) override {
        while (next_completion() != nullptr) is_awake_ = true;
    }

    gyre::TimerOp timer_;
    bool is_awake_ = false;
};

bool sleeps(gyre::Platform& platform, gyre::Duration delay) {
    Sleeper sleeper;
    gyre::Loop loop(platform, sleeper);
    sleeper.sleep(delay);
    loop.run();
    return sleeper.is_awake();
}

gyre::Future<int> nap(gyre::Duration delay) {
    co_await gyre::sleep(delay);
    co_return 0;
}

int main() {
    gyre::platform::SystemClock clock;
    const auto platform = gyre::platform::make_platform(clock).value();
    if (!sleeps(*platform, std::chrono::milliseconds(1))) return 1;
    const auto short_nap = [] { return nap(std::chrono::milliseconds(1)); };
    if (gyre::run(*platform, short_nap).exit_code() != 0) return 1;
    if (gyre::run(short_nap) != 0) return 1;

    gyre::sim::VirtualClock virtual_clock;
    gyre::sim::SimPlatform simulated(virtual_clock);
    if (!sleeps(simulated, std::chrono::hours(24))) return 1;
    const auto long_nap = [] { return nap(std::chrono::hours(24)); };
    if (gyre::run(simulated, long_nap).exit_code() != 0) return 1;

    if (gyre::conform::has_failed(gyre::conform::run_gyre("jobs", {"sim"}))) return 1;

    std::printf("%.*s\n", static_cast<int>(gyre::version_string.size()),
                gyre::version_string.data());
}
