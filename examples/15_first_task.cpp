// SPDX-License-Identifier: Apache-2.0
// A first program of tasks: an async function returns a Future, `co_await` waits for it, and `run`
// runs it as a program. Two functions run concurrently and take the time of one.
//
//     $ build/release/bin/examples/15_first_task
//     thinking
//     6 times 7 is 42

// [readme]
#include <cstdio>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;

Future<int> think_of(int number) {
    co_await sleep(10ms);
    co_return number;
}

Future<void> app() {
    std::puts("thinking");
    auto [six, seven] = co_await all(think_of(6), think_of(7));
    std::printf("6 times 7 is %d\n", six * seven);
}

int main() {
    return gyre::run(app);
}
// [/readme]
