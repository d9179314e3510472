// SPDX-License-Identifier: Apache-2.0
// What a stuck program waits for. A daemon prints it here; SIGQUIT (Ctrl-\) prints it for every
// program that calls run. When the last timer has fired nothing can wake the two any more: run
// prints the deadlock, cancels all tasks and exits with 3, though the daemon would still tick.
// Lines with source places are left out here, because they depend on the build folder.
//
//     $ build/release/bin/examples/24_stuck
//     scope root: 2 tasks
//       task 1 'main': waiting on the tasks of a scope for 3600.0 s
//         scope kitchen: 3 tasks
//           task 3: waiting on sleep (op 1099511627782, timer) for 3600.0 s
//           task 4 'cook': waiting on mutex 'stove', held by task 5 'helper', for 3599.0 s
//           task 5 'helper': waiting on mutex 'knife', held by task 4 'cook', for 3599.0 s
//       task 2 'reporter' (daemon): running
//     these tasks wait for each other:
//       'cook' holds mutex 'knife' and waits for mutex 'stove', held by 'helper'
//       'helper' holds mutex 'stove' and waits for mutex 'knife', held by 'cook'
//     the loop is alive because of
//       task 3: timer in 1800.0 s
//     the program would exit with 3

// [head]
#include <cstdio>
#include <sstream>
#include <string>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

void print_without_places(const std::string& dump) {
    std::istringstream lines(dump);
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" at ") == line.npos) std::puts(line.c_str());
    }
}

// [stuck]
Future<void> work(Mutex* first, Mutex* second) {
    const MutexGuard one = co_await first->lock();
    co_await sleep(1s);
    const MutexGuard two = co_await second->lock();
}

Future<void> print_report() {
    const Task& self = co_await this_task();
    for (;;) {
        co_await sleep(1h);
        print_without_places(self.executor().report());
    }
}

Future<void> app(Scope& root) {
    Mutex knife("knife");
    Mutex stove("stove");
    root.spawn_daemon(print_report).set_name("reporter");
    co_await with_scope(
        [&](Scope& scope) -> Future<void> {
            scope.spawn(work, &knife, &stove).set_name("cook");
            scope.spawn(work, &stove, &knife).set_name("helper");
            co_await sleep(90min);
        },
        {.name = "kitchen"});
}
// [/stuck]

int main() {
    std::freopen("/dev/null", "w", stderr);  // run prints the same there, with places
    const int status = gyre::run(app, {.platform = "sim"});  // the hour takes no real time
    std::printf("the program would exit with %d\n", status);
}
