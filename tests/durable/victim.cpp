// SPDX-License-Identifier: Apache-2.0
// A worker that its test kills. It starts the runs that are missing, runs them all to their ends, and writes a
// line for each effect that takes place: what the outside sees.
//
//     durable_victim URL PREFIX RUNS STEPS [before|after N]   ends itself at the N-th commit
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include <gyre/durable/ops.hpp>
#include <gyre/durable/policy.hpp>
#include <gyre/durable/store.hpp>
#include <gyre/durable/worker.hpp>
#include <gyre/effect/coroutine_guest.hpp>
#include <gyre/gyre.hpp>

using namespace gyre;
using namespace std::chrono_literals;

namespace {

struct Outside {
    static constexpr effect::ResumeOp<int(int)> keyed{"test.outside", "keyed"};
    static constexpr effect::ResumeOp<int(int)> once{"test.outside", "once"};
};

// One write, so that a line is whole or not there.
void tell(const std::string& line) {
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
}

// Every twentieth step may run once only; some wait, and two tasks' worth of order is in the sum.
effect::Effectful<int> walk(int steps) {
    int sum = 0;
    for (int i = 0; i < steps; ++i) {
        if (i % 20 == 10) {
            sum += co_await effect::perform(Outside::once, i);
        } else {
            sum += co_await effect::perform(Outside::keyed, i);
        }
        if (i % 16 == 8) co_await effect::perform(durable::Durable::sleep, 1);
    }
    co_return sum;
}

struct Kill {
    durable::CommitPoint point = durable::CommitPoint::before;
    int at = 0;  // 0: never
    int seen = 0;

    void operator()(durable::CommitPoint now) {
        if (at != 0 && now == point && ++seen == at) ::raise(SIGKILL);
    }
};

Future<void> work(Scope& root, const char* url, const std::string& prefix, int runs, int steps,
                  Kill kill) {
    effect::Scheduler scheduler(root.executor());
    durable::StoreOptions store_options;
    store_options.poll_every = 50ms;
    durable::Store store(root.executor(), url, store_options);
    durable::WorkerOptions options;
    options.lease = 300ms;
    options.commit_observer = std::move(kill);
    effect::CoroutineGuest guest;
    guest.add("walk", &walk);
    effect::Handlers handlers;
    handlers.on(Outside::keyed, [](effect::Context& context, int n) -> Future<int> {
        const std::string key = durable::op_key(context);
        co_await sleep(std::chrono::microseconds(n * 37 % 200));
        tell("keyed " + key + "\n");
        co_return n;
    });
    handlers.on(Outside::once, [](effect::Context& context, int n) -> Future<int> {
        const std::string key = durable::op_key(context);
        co_await sleep(std::chrono::microseconds(n * 11 % 100));
        tell("once " + key + "\n");
        co_return n;
    });
    durable::set_policy(handlers, Outside::once.info, {.is_at_most_once = true});
    durable::Worker worker(scheduler, store, options);
    worker.add("walk", guest, handlers);
    co_await store.open();
    auto body = [&](Scope& scope) -> Future<void> {
        auto working = scope.spawn([&]() { return worker.run(); });
        for (int i = 0; i < runs; ++i) {
            co_await store.start(prefix + std::to_string(i), "walk", effect::Arguments::of(steps));
        }
        for (int i = 0; i < runs; ++i) {
            const std::string key = prefix + std::to_string(i);
            const auto outcome = co_await store.result(key);
            if (outcome.has_value()) {
                tell("done " + key + " " + outcome.value().to_text() + "\n");
            } else {
                tell("failed " + key + " " + outcome.error().message + "\n");
            }
        }
        working.cancel("all runs have ended");
    };
    co_await with_scope(body);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5 && argc != 7) return 2;
    Kill kill;
    if (argc == 7) {
        const bool is_before = std::strcmp(argv[5], "before") == 0;
        kill.point = is_before ? durable::CommitPoint::before : durable::CommitPoint::after;
        kill.at = std::atoi(argv[6]);
    }
    const std::string prefix = argv[2];
    const int runs = std::atoi(argv[3]);
    const int steps = std::atoi(argv[4]);
    return gyre::run([&](Scope& root) { return work(root, argv[1], prefix, runs, steps, kill); });
}
