// SPDX-License-Identifier: Apache-2.0
// A supervisor: keeps a child process running. A child that fails is restarted after a pause, which
// doubles each time up to a limit; a child that exits with 0 is done.
//
//     $ build/release/bin/examples/33_supervisor
//     attempt 1: it exits with 1; again in 10 ms
//     attempt 2: signal 9 ends it; again in 20 ms
//     attempt 3: done after 3 attempts

// [head]
#include <algorithm>
#include <cstdio>
#include <string>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

// [supervise]
struct Policy {
    std::chrono::milliseconds first_pause = 10ms;
    std::chrono::milliseconds pause_max = 1s;
    int attempt_count_max = 10;
};

// The child hears in GYRE_ATTEMPT which attempt it is.
Future<bool> supervise(process::Command command, Policy policy) {
    auto pause = policy.first_pause;
    for (int attempt = 1; attempt <= policy.attempt_count_max; ++attempt) {
        command.environment = {{"GYRE_ATTEMPT", std::to_string(attempt)}};
        const process::Output output = co_await process::run(command);
        std::printf("attempt %d: %s", attempt, output.output.c_str());
        if (output.is_fine()) co_return true;
        if (output.end.signal != 0) {
            std::printf("signal %d ends it", output.end.signal);
        } else {
            std::printf("it exits with %d", output.end.code);
        }
        std::printf("; again in %d ms\n", static_cast<int>(pause.count()));
        co_await sleep(pause);
        pause = std::min(2 * pause, policy.pause_max);
    }
    co_return false;
}
// [/supervise]

Future<int> app() {
    process::Command command;
    command.program = "sh";
    command.arguments = {"-c",
                         "case $GYRE_ATTEMPT in 1) exit 1;; 2) kill -9 $$;; esac; "
                         "echo done after $GYRE_ATTEMPT attempts"};
    const bool is_done = co_await supervise(command, Policy());
    co_return is_done ? 0 : 1;
}

int main() {
    return gyre::run(app, {.platform = "best"});  // the simulator has no child processes
}
