// SPDX-License-Identifier: Apache-2.0
// A job queue with back-pressure: producers wait while the queue is full, three workers take from
// it, and the program ends when all is done.
//
//     $ job_queue
//     20 jobs done, at most 4 waited

#include <gyre/gyre.hpp>

#include <algorithm>
#include <cstdio>

using namespace gyre;
using namespace std::chrono_literals;

struct Job {
    int number = 0;
};

struct WorkQueue {
    Channel<Job> jobs{4};
    int done_count = 0;
    std::size_t longest = 0;
};

Future<void> produce(WorkQueue& queue, int first, int count) {
    for (int number = first; number < first + count; ++number) {
        co_await queue.jobs.send(Job{number});
        queue.longest = std::max(queue.longest, queue.jobs.count());
    }
}

Future<void> work(WorkQueue& queue) {
    while (auto job = co_await queue.jobs.receive()) {
        co_await sleep(1ms * (1 + job->number % 3));
        ++queue.done_count;
    }
}

Future<void> app() {
    WorkQueue queue;
    co_await with_scope([&](Scope& workers) -> Future<void> {
        for (int i = 0; i < 3; ++i) workers.spawn([&queue] { return work(queue); });
        co_await all(produce(queue, 0, 10), produce(queue, 100, 10));
        queue.jobs.close();  // the workers end when it is empty
    });
    std::printf("%d jobs done, at most %zu waited\n", queue.done_count, queue.longest);
}

int main() {
    return gyre::run(app);
}
