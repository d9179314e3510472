// SPDX-License-Identifier: Apache-2.0
// Actors: a pool of workers that fail now and then. Each is restarted with a growing delay and
// keeps its mailbox; the job that failed is sent again.
//
//     $ build/release/bin/examples/35_worker_pool
//     9 jobs done, 3 crashes on the way
//     restarts: worker 1: 1, worker 2: 1, worker 3: 1

// [head]
#include <cstdio>
#include <stdexcept>
#include <string>

#include <gyre/actor/worker_pool.hpp>
#include <gyre/gyre.hpp>

using namespace gyre;
using namespace gyre::actor;
using namespace std::chrono_literals;
// [/head]

// [worker]
struct Job {
    int number;
    int attempt;
};

class Worker : public Actor<Worker> {
public:
    Future<int> handle(Job job) {
        co_await sleep(1ms);
        if (job.attempt == 1 && job.number % 3 == 0) throw std::runtime_error("crash");
        co_return job.number;
    }
};
// [/worker]

// [pool]
Future<void> work(System& system) {
    auto pool = WorkerPool<Worker>::spawn(
        system, {.count = 3,
                 .worker = {.name = "worker",
                            .on_failure = OnFailure::restart,
                            .restart = {.count_max = 3, .within = 1min, .back_off = 2ms}}});
    int done = 0;
    int crashes = 0;
    for (int number = 1; number <= 9; ++number) {
        const Ref<Worker> worker = pool.workers()[static_cast<std::size_t>(number / 3) % 3];
        for (int attempt = 1;; ++attempt) {
            try {
                const Job job{number, attempt};
                static_cast<void>(co_await worker.ask(job));
                break;
            } catch (const std::runtime_error&) {
                ++crashes;
            }
        }
        ++done;
    }
    std::printf("%d jobs done, %d crashes on the way\n", done, crashes);
    std::string restarts;
    for (const Ref<Worker>& worker : pool.workers()) {
        restarts += (restarts.empty() ? "" : ", ") + worker.name() + ": " +
                    std::to_string(worker.counts().restarts);
    }
    std::printf("restarts: %s\n", restarts.c_str());
}
// [/pool]

int main() {
    set_log_level(LogLevel::off);  // Otherwise each failure is logged.
    return gyre::run([] { return with_actors(work); });
}
