// SPDX-License-Identifier: Apache-2.0
// The order of a language's callbacks: a scheduler with Node's profile and its pump, which is the
// app machine of a loop. A native operation ends on another thread and resolves a promise.
//
//     $ build/release/bin/examples/14_jobs
//     main script
//     tick
//     microtask
//     immediate
//     the answer is 42
//     timer
//     exit

#include <cstdio>
#include <thread>

#include "gyre/job/promise.hpp"
#include "gyre/job/pump.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"

using namespace gyre;
using namespace std::chrono_literals;

// [host]
class MyHost : public job::Host {
public:
    job::AfterError on_error(std::exception_ptr /*error*/) override {
        std::puts("uncaught");
        return job::AfterError::stop;
    }
    void on_exit() override { std::puts("exit"); }
};
// [/host]
// [operation]
// Keeps the loop alive, ends on another thread, and resolves a promise.
job::Promise ask(job::Scheduler& jobs, std::thread& other) {
    auto [promise, settle] = job::Promise::with_resolvers(jobs);
    jobs.hold();
    other = std::thread([&jobs, resolvers = settle]() mutable {
        jobs.post([&jobs, its = std::move(resolvers)] {
            its.resolve(42);
            jobs.release();
        });
    });
    return promise;
}
// [/operation]
// [script]
void main_script(job::Scheduler& jobs, std::thread& other) {
    jobs.set_immediate([&jobs, &other] {
        std::puts("immediate");
        ask(jobs, other).then([&jobs](const job::Value& value) {
            std::printf("the answer is %d\n", std::any_cast<int>(value));
            jobs.set_timeout([] { std::puts("timer"); }, 5ms);
            return job::Value();
        });
    });
    jobs.queue_microtask([] { std::puts("microtask"); });
    jobs.next_tick([] { std::puts("tick"); });
    std::puts("main script");
}
// [/script]
// [run]
void run(Platform& platform, Clock& clock) {
    MyHost host;
    job::Scheduler jobs(clock, host);
    job::Pump pump(jobs);
    Loop loop(platform, pump);
    std::thread other;
    pump.start([&] { main_script(jobs, other); });
    job::run_to_exit(loop, pump);
    other.join();
    loop.close();
}
// [/run]
int main() {
    platform::SystemClock clock;
    run(*platform::make_platform(clock).value(), clock);
}
