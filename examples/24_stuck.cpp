// SPDX-License-Identifier: Apache-2.0
// A deadlock report. The tree of tasks can be printed at any time; in a deadlock `run` prints it,
// cancels all tasks and exits with 3. Lines with source places are left out here, because they
// depend on the build folder.
//
//     $ build/release/bin/examples/24_stuck
//     scope root: 1 task
//       task 1 'main': waiting on the tasks of a scope for 3600.0 s
//         scope kitchen: 3 tasks
//           task 2: running
//           task 3 'cook': waiting on an event for 3600.0 s
//             awaited by task 4 'waiter'
//           task 4 'waiter': waiting on the end of a task for 3600.0 s
//     the program would exit with 3

#include <cstdio>
#include <sstream>
#include <string>

#include "gyre/sim/platform.hpp"
#include "gyre/task/async.hpp"

using namespace gyre;
using namespace std::chrono_literals;

void print_without_places(const std::string& dump) {
    std::istringstream lines(dump);
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" at ") == line.npos) std::puts(line.c_str());
    }
}

// [stuck]
Future<void> app() {
    Event order;  // that nobody ever sets
    const auto cook = [&]() -> Future<void> { co_await order; };
    co_await with_scope(
        [&](Scope& scope) -> Future<void> {
            auto meal = scope.spawn(cook);
            meal.set_name("cook");
            const auto wait = [&]() -> Future<void> { co_await meal; };
            scope.spawn(wait).set_name("waiter");

            co_await sleep(1h);
            const Task& self = co_await this_task();
            print_without_places(self.executor().dump_tasks());
            co_await meal;
        },
        {.name = "kitchen"});
}
// [/stuck]

int main() {
    std::freopen("/dev/null", "w", stderr);  // run prints the same there, with places
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock);  // virtual time: the hour takes no real time
    const auto result = run(platform, app);
    std::printf("the program would exit with %d\n", result.exit_code());
}
