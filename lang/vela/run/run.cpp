// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/run.hpp"

#include <exception>
#include <utility>

#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela {
namespace {

// `co_await this_promise()`: the coroutine itself, which timers of the program belong to.
class ThisPromise {
    struct Await {
        PromiseBase& promise;
        [[nodiscard]] bool await_ready() const noexcept { return true; }
        void await_suspend(std::coroutine_handle<> /*by*/) const noexcept {}
        [[nodiscard]] PromiseBase* await_resume() const noexcept { return &promise; }
    };

public:
    [[nodiscard]] Await await_in(PromiseBase& promise) const noexcept { return {promise}; }
};

class HostClock final : public Clock {
public:
    explicit HostClock(RunHost& host) noexcept : host_(host) {}
    [[nodiscard]] Instant now() noexcept override { return host_.time(); }

private:
    RunHost& host_;
};

const Code* entry_of(const Lowered& lowered, std::string_view name) {
    if (name == "main") return lowered.main;
    const auto& declared = lowered.program->order.back()->declared;
    const auto found = declared.find(name);
    if (found == declared.end() || found->second.function == nullptr) return nullptr;
    const auto code = lowered.functions.find(found->second.function);
    return code == lowered.functions.end() ? nullptr : code->second;
}

}  // namespace

gyre::Future<int> run_program(const Lowered& lowered, RunHost& host, MachineOptions options,
                              NativeLibraries libraries, RunReport* report) {
    Task& task = co_await this_task();
    PromiseBase* promise = co_await ThisPromise();
    vm::Vm machine(lowered, options, host, std::move(libraries));
    if (!machine.problem().empty()) {
        host.report("gyre run: " + machine.problem());
        co_return 2;
    }
    HostClock clock(host);
    Scope scope(task.executor(), &task, {.name = "vela", .cancels_on_failure = false});
    vm::Tasks tasks(machine, scope, *promise, clock);
    const Code* entry = entry_of(lowered, options.entry);
    vm::Deferred* main = entry == nullptr
                             ? nullptr
                             : machine.make_frame(*machine.assembled().function_of(entry), {});
    tasks.run_main(main);
    std::exception_ptr cancelled;
    try {
        co_await tasks.is_over().wait();
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    // A program that serves ends its service and goes on; another one is cancelled, and its
    // clean-ups may await. A second request ends both.
    const bool is_lost = cancelled && !tasks.stop_servers();
    if (is_lost) tasks.cancel_all();
    if (cancelled) co_await tasks.is_over().wait();
    const int exit_code = is_lost ? 4 : tasks.report();
    tasks.end(exit_code);
    scope.cancel("the program has ended");
    co_await scope.all_ended();
    co_await tasks.withdraw_timers();
    host.flush();
    if (report != nullptr) {
        report->exit_code = exit_code;
        report->dead_letter_count = tasks.dead_letter_count();
        report->collection_count = machine.heap.collection_count();
    }
    co_return exit_code;
}

}  // namespace gyre::vela
