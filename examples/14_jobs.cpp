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

// [head]
#include <cstdio>
#include <thread>

#include "gyre/app/program.hpp"
#include "gyre/job/promise.hpp"
#include "gyre/job/pump.hpp"

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

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
int main() {
    Program program({.platform = "best"});  // a thread of the system takes part
    MyHost host;
    job::Scheduler jobs(program.clock(), host);
    job::Pump pump(jobs);
    Loop loop(program.platform(), pump, program.loop_options());
    std::thread other;
    pump.start([&] { main_script(jobs, other); });
    job::run_to_exit(loop, pump);
    other.join();
    loop.close();
}
// [/run]
