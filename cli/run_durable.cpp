// SPDX-License-Identifier: Apache-2.0
#include "cli/run_durable.hpp"

#include <cstdio>
#include <exception>

#include "gyre/durable/store.hpp"
#include "gyre/durable/worker.hpp"
#include "gyre/task/core/scope.hpp"

namespace gyre::cli {
namespace {

using Outcome = std::optional<effect::RunOutcome<effect::Value>>;

Future<void> work_for(durable::Store& store, durable::Worker& worker, const RunRequest& request,
                      const DurableProgram& program, Outcome& outcome) {
    auto body = [&](Scope& scope) -> Future<void> {
        auto working = scope.spawn([&]() { return worker.run(); });
        co_await store.start(request.key, program.entry, program.arguments);
        outcome = co_await store.result(request.key);
        working.cancel("the run has ended");
    };
    co_await with_scope(body);
}

}  // namespace

Future<Outcome> run_durable(Executor& executor, effect::Scheduler& scheduler,
                            const RunRequest& request, DurableProgram program) {
    durable::Store store(executor, request.store);
    durable::WorkerOptions options;
    options.queue = request.queue;
    options.lease = request.lease;
    durable::Worker worker(scheduler, store, options);
    for (const std::string& function : program.functions) {
        worker.add(function, program.guest, program.handlers);
    }
    co_await store.open();
    Outcome outcome;
    if (request.key.empty()) {
        std::fprintf(stderr, "gyre run: works for the queue %s of %s\n", request.queue.c_str(),
                     request.store.c_str());
        co_await worker.run();
    } else {
        co_await work_for(store, worker, request, program, outcome);
    }
    co_return outcome;
}

}  // namespace gyre::cli
