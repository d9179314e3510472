// SPDX-License-Identifier: Apache-2.0
// select: waits for the first of several things of different kinds, and gives all that have ended.
// Here a task serves an inbox until it is told to stop, and notices when nothing comes.
//
//     $ build/release/bin/examples/41_select
//     message: one
//     message: two
//     nothing for a while
//     message: three

#include <gyre/gyre.hpp>

#include <cstdio>
#include <string>

using namespace gyre;
using namespace std::chrono_literals;

// [serve]
Future<void> serve(Channel<std::string>& inbox, Event& stop) {
    for (;;) {
        auto [message, tick, end] = co_await select(inbox.receive(), sleep(100ms), stop);
        if (message) std::printf("message: %s\n", message.take()->c_str());
        if (tick) std::puts("nothing for a while");
        if (end) co_return;
    }
}
// [/serve]

Future<void> app() {
    Channel<std::string> inbox(4);
    Event stop;
    co_await with_scope([&](Scope& scope) -> Future<void> {
        scope.spawn([&] { return serve(inbox, stop); });
        co_await inbox.send("one");
        co_await inbox.send("two");
        co_await sleep(150ms);
        co_await inbox.send("three");
        stop.set();
    });
}

int main() {
    return gyre::run(app);
}
