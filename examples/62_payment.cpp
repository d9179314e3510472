// SPDX-License-Identifier: Apache-2.0
// A payment that survives its process: the first one is killed when the money has been taken and the goods are to be
// sent; the second one goes on there, and takes no money again.
//
//     $ build/release/bin/examples/62_payment
//     first process: take 1200 cents
//     second process: send order-7, key order-7/1/1
//     order-7: sent

#include <csignal>
#include <cstdio>
#include <string>

#include <gyre/durable/policy.hpp>
#include <gyre/durable/store.hpp>
#include <gyre/durable/worker.hpp>
#include <gyre/effect/coroutine_guest.hpp>
#include <gyre/gyre.hpp>

using namespace gyre;
using namespace gyre::effect;

// [flow]
struct Shop {
    static constexpr ResumeOp<void(int)> charge{"example.shop", "charge"};
    static constexpr ResumeOp<void(std::string)> send{"example.shop", "send"};
};

Effectful<std::string> checkout(std::string order, int cents) {
    co_await perform(Shop::charge, cents);
    co_await perform(Shop::send, order);
    co_return "sent";
}
// [/flow]
bool is_first = false;
// [work]
Handlers shop_handlers() {
    Handlers handlers;
    handlers.on(Shop::charge, [](int cents) { std::printf("take %d cents\n", cents); });
    handlers.on(Shop::send, [](Context& context, std::string order) {
        std::fflush(stdout);
        if (is_first) std::raise(SIGKILL);
        std::printf("send %s, key %s\n", order.c_str(), durable::op_key(context).c_str());
    });
    return handlers;
}
Future<void> work(Scope& root, std::string url) {
    Scheduler scheduler(root.executor());
    durable::Store store(root.executor(), url);
    CoroutineGuest guest;
    guest.add("checkout", checkout);
    Handlers handlers = shop_handlers();
    // When its lease is over others take its runs, or the next process does.
    durable::Worker worker(scheduler, store, {.lease = std::chrono::milliseconds(200)});
    worker.add("checkout", guest, handlers);
    co_await store.open();
    auto body = [&](Scope& scope) -> Future<void> {
        auto working = scope.spawn([&]() { return worker.run(); });
        co_await store.start("order-7", "checkout", Arguments::of("order-7", 1200));
        const RunOutcome<Value> outcome = co_await store.result("order-7");
        std::printf("order-7: %s\n", outcome.value().text().c_str());
        working.cancel("all is done");
    };
    co_await with_scope(body);  // the worker ends before what it uses
}
// [/work]
Future<void> app() {
    fs::TemporaryFolder folder = co_await fs::temporary_folder();
    for (const char* name : {"first", "second"}) {
        const process::Command self("/proc/self/exe", name, "sqlite:" + folder.path() + "/runs.db");
        std::printf("%s process: %s", name, (co_await process::run(self)).output.c_str());
    }
    co_await folder.aclose();
}

int main(int argc, char** argv) {
    if (argc < 3) return gyre::run(app, {.platform = "best"});
    is_first = std::string(argv[1]) == "first";
    return gyre::run([&](Scope& root) { return work(root, argv[2]); });
}
