// SPDX-License-Identifier: Apache-2.0
// Cancelling: a request arrives at the await that the task is in, as an exception. Its clean-up may
// await: here the task says goodbye to a server before it ends.
//
//     $ build/release/bin/examples/18_clean_up
//     connected
//     goodbye sent
//     cancelled: the user has left
//     the log is flushed

// [head]
#include <cstdio>
#include <exception>

#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;
// [/head]

Future<void> say_goodbye() {
    co_await sleep(5ms);
    std::puts("goodbye sent");
}

// [session]
// C++ has no await in a catch block: keep what was thrown, clean up, throw it again.
Future<void> session() {
    std::puts("connected");
    std::exception_ptr ended;
    try {
        co_await sleep(24h);
    } catch (...) {
        ended = std::current_exception();
    }
    co_await shield(say_goodbye());  // a second request has to wait
    if (ended != nullptr) std::rethrow_exception(ended);
}
// [/session]

// [cancel]
Future<void> app() {
    co_await with_scope([](Scope& scope) -> Future<void> {
        scope.on_exit([]() -> Future<void> {
            co_await sleep(1ms);
            std::puts("the log is flushed");
        });
        auto user = scope.spawn(session);
        co_await sleep(10ms);
        user.cancel("the user has left");
        try {
            co_await user;
        } catch (const Cancelled& e) {
            std::printf("cancelled: %s\n", e.reason().why.c_str());
        }
    });
}
// [/cancel]

int main() {
    return gyre::run(app);
}
