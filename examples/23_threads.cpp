// SPDX-License-Identifier: Apache-2.0
// Threads: a task stays on its loop's thread. Blocking calls and computations run on a pool, and a
// function can run as a task of another loop; the task continues on its own thread with the result.
//
//     $ build/release/bin/examples/23_threads
//     main runs on loop 1
//     a thread of the pool read 12 letters
//     loop 2 answered: 55
//     loop 2 sent 1 to loop 1
//     loop 2 sent 2 to loop 1

// [head]
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <gyre/gyre.hpp>

using namespace gyre;
// [/head]

Future<ThreadId> this_loop() {
    co_return (co_await this_task()).executor().loop().thread_id();
}

// [work]
Future<int> sum_up(std::vector<int> numbers) {
    const auto sum = [&numbers] { return std::accumulate(numbers.begin(), numbers.end(), 0); };
    co_return co_await compute(sum);
}

Future<void> work(MachineRef other) {
    std::printf("main runs on loop %u\n", co_await this_loop());
    const auto slow = [] { return std::string("twelve chars").size(); };
    std::printf("a thread of the pool read %zu letters\n", co_await blocking(slow));
    const std::vector<int> numbers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    std::printf("loop 2 answered: %d\n", co_await on(other, sum_up, numbers));
}
// [/work]

// [channel]
Future<void> send_two(ThreadChannel<int>* to) {
    for (int i = 1; i <= 2; ++i) co_await to->send(i);
    to->close();
}

Future<void> receive(MachineRef other) {
    ThreadChannel<int> channel(2);
    co_await with_scope([&](Scope& scope) -> Future<void> {
        scope.spawn([&]() -> Future<void> { co_await on(other, send_two, &channel); });
        while (auto number = co_await channel.receive()) {
            std::printf("loop 2 sent %d to loop %u\n", *number, co_await this_loop());
        }
    });
}
// [/channel]

// [main]
Future<void> app(Program& program) {
    co_await work(program.loop(2));
    co_await receive(program.loop(2));
}

int main() {
    return gyre::run(app, {.loops = 2});
}
// [/main]
