// SPDX-License-Identifier: Apache-2.0
// A payment that survives its process. The first process is killed when the money has been taken and before the goods
// are sent; the second one goes on there, and takes no money again.
//
//     $ build/release/bin/examples/62_payment
//     first process
//       take 1200 cents, key order-7/1/0
//       killed
//     second process
//       send order-7
//     order-7: sent

// [head]
#include <csignal>
#include <cstdio>
#include <string>

#include <gyre/durable/ops.hpp>
#include <gyre/durable/policy.hpp>
#include <gyre/durable/store.hpp>
#include <gyre/durable/worker.hpp>
#include <gyre/effect/coroutine_guest.hpp>
#include <gyre/gyre.hpp>

using namespace gyre;
using namespace gyre::effect;
using namespace std::chrono_literals;
// [/head]

// [flow]
struct Shop {
    static constexpr ResumeOp<void(int)> charge{"example.shop", "charge"};
    static constexpr ResumeOp<void(std::string)> send{"example.shop", "send"};
};

// What it waits for here may take a week, and as many processes as it likes.
Effectful<std::string> checkout(std::string order, int cents) {
    co_await perform(Shop::charge, cents);
    co_await perform(durable::Durable::sleep, 20);
    co_await perform(Shop::send, order);
    co_return "sent";
}
// [/flow]

// [handlers]
bool is_first = false;

void add_handlers(Handlers& handlers) {
    // The bank is told the key, so that it knows a repeat when it sees one.
    handlers.on(Shop::charge, [](Context& context, int cents) {
        std::printf("  take %d cents, key %s\n", cents, durable::op_key(context).c_str());
    });
    handlers.on(Shop::send, [](std::string order) { std::printf("  send %s\n", order.c_str()); });
    // A parcel is sent once, or somebody has to look.
    durable::set_policy(handlers, Shop::send.info, {.is_at_most_once = true});
}
// [/handlers]

// The second commit notes the timer of the flow: the money was taken, and that is recorded.
void die_at_the_timer(durable::CommitPoint point) {
    static int commits = 0;
    if (!is_first || point != durable::CommitPoint::after || ++commits < 2) return;
    std::puts("  killed");
    std::fflush(stdout);
    std::raise(SIGKILL);
}

std::string url;

// [work]
Future<void> work(Scope& root) {
    Scheduler scheduler(root.executor());
    durable::Store store(root.executor(), url);
    CoroutineGuest guest;
    guest.add("checkout", checkout);
    Handlers handlers;
    add_handlers(handlers);
    durable::WorkerOptions options;
    options.lease = 200ms;  // after which others, or the next process, take its runs
    options.commit_observer = &die_at_the_timer;
    durable::Worker worker(scheduler, store, options);
    worker.add("checkout", guest, handlers);

    co_await store.open();
    auto body = [&](Scope& scope) -> Future<void> {
        auto working = scope.spawn([&]() { return worker.run(); });
        // The second process finds the run that the first one has started.
        co_await store.start("order-7", "checkout", Arguments::of("order-7", 1200));
        const RunOutcome<Value> outcome = co_await store.result("order-7");
        std::printf("order-7: %s\n", outcome.value().text().c_str());
        working.cancel("all is done");
    };
    co_await with_scope(body);  // the worker ends before what it uses
}
// [/work]

// This program, as it is called by itself.
Future<void> run_process(const char* which) {
    process::Command command;
    command.program = "/proc/self/exe";
    command.arguments = {which, url};
    const process::Output output = co_await process::run(command);
    std::printf("%s process\n%s", which, output.output.c_str());
}

Future<void> app() {
    fs::TemporaryFolder folder = co_await fs::temporary_folder();
    url = "sqlite:" + fs::join(folder.path(), "runs.db");
    co_await run_process("first");
    co_await run_process("second");
    co_await folder.aclose();
}

int main(int argc, char** argv) {
    if (argc < 3) return gyre::run(app, {.platform = "best"});
    is_first = std::string(argv[1]) == "first";
    url = argv[2];
    return gyre::run(work);
}
