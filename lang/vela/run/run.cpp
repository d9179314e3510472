// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/run.hpp"

#include <exception>
#include <utility>

#include "lang/vela/run/internal/native_library.hpp"
#include "lang/vela/run/internal/other_machines.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/run/internal/vm.hpp"

namespace gyre::vela {
namespace {

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
    PromiseBase* promise = co_await vm::ThisPromise();
    std::unique_ptr<vm::OtherMachines> others;
    if (!options.loops.empty()) {
        others = std::make_unique<vm::OtherMachines>(lowered, host, options, libraries);
    }
    vm::Exchange* exchange = others == nullptr ? nullptr : &others->exchange();
    vm::Vm machine(lowered, options, host, std::move(libraries), exchange);
    if (!machine.problem().empty()) {
        host.report("gyre run: " + machine.problem());
        co_return 2;
    }
    vm::HostClock clock(host);
    Scope scope(task.executor(), &task, {.name = "vela", .cancels_on_failure = false});
    vm::Tasks tasks(machine, scope, *promise, clock);
    std::exception_ptr cancelled;
    try {
        if (others != nullptr) co_await others->start();
        const Code* entry = entry_of(lowered, options.entry);
        tasks.run_main(entry == nullptr
                           ? nullptr
                           : machine.make_frame(*machine.assembled().function_of(entry), {}));
        co_await tasks.is_over().wait();
    } catch (const Cancelled&) {
        cancelled = std::current_exception();
    }
    // A program that serves ends its service and goes on; another one is cancelled, and its
    // clean-ups may await. A second request ends both.
    const bool is_lost = cancelled && !tasks.stop_servers();
    if (is_lost) tasks.cancel_all();
    if (cancelled && others != nullptr) others->cancel();
    if (cancelled) co_await tasks.is_over().wait();
    if (others != nullptr && tasks.is_stuck()) {
        std::string waiting = co_await others->waiting_text();
        tasks.set_waiting_elsewhere(std::move(waiting));
    }
    const int exit_code = is_lost ? 4 : tasks.report();
    tasks.end(exit_code);
    scope.cancel("the program has ended");
    co_await scope.all_ended();
    co_await tasks.withdraw_timers();
    if (others != nullptr) co_await others->end(exit_code);
    host.flush();
    if (report != nullptr) {
        report->exit_code = exit_code;
        report->dead_letter_count = tasks.dead_letter_count();
        report->collection_count = machine.heap.collection_count();
        report->things_left = machine.count_reachable();
        if (others != nullptr) report->dead_letter_count += others->dead_letter_count();
    }
    co_return exit_code;
}

}  // namespace gyre::vela
