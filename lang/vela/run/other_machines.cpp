// SPDX-License-Identifier: Apache-2.0
#include "lang/vela/run/internal/other_machines.hpp"

#include <limits>
#include <utility>

#include "gyre/task/combine/shield.hpp"
#include "gyre/task/thread/on.hpp"
#include "lang/vela/syntax/source.hpp"

namespace gyre::vela::vm {

// Made on the loop of main; from `begin` on it belongs to its own loop, until `serve` has ended.
struct OtherMachines::Member {
    Member(const Lowered& lowered, const MachineOptions& options, RunHost& outside,
           const NativeLibraries& libraries, Machines& all, std::uint32_t number,
           actor::System& actors)
        : exchange(all, number),
          vm(lowered, options, outside, libraries, &exchange),
          host(outside),
          system(actors) {}

    Exchange exchange;
    Vm vm;
    RunHost& host;
    actor::System& system;
    Executor* main_executor = nullptr;
    Event has_begun;
    Event has_ended;   // its tasks
    Event has_closed;  // its endpoint too
    std::uint64_t dead_letter_count = 0;
};

OtherMachines::OtherMachines(const Lowered& lowered, RunHost& host, const MachineOptions& options,
                             const NativeLibraries& libraries)
    : loops_(options.loops),
      machines_(static_cast<std::uint32_t>(options.loops.size()) + 1),
      main_(machines_, 0) {
    // Positions are found through a table that is made on first use: not by two threads at once.
    for (const Module* module : lowered.program->order) {
        static_cast<void>(module->source->position(0));
    }
    MachineOptions own = options;
    own.loops.clear();
    for (std::uint32_t number = 1; number <= loops_.size(); ++number) {
        own.seed = options.seed + number;
        members_.push_back(
            std::make_unique<Member>(lowered, own, host, libraries, machines_, number, system_));
    }
}

OtherMachines::~OtherMachines() = default;

actor::Ref<Endpoint> OtherMachines::make_endpoint(actor::System& system, Exchange& of) {
    actor::ActorOptions options{.name = "vela " + std::to_string(of.number())};
    // Messages are bounded by their bytes: Exchange::post.
    options.mailbox.capacity = std::numeric_limits<std::uint32_t>::max();
    return system.spawn_with<Endpoint>(std::move(options), &of);
}

gyre::Future<void> OtherMachines::begin(Member* member) {
    Task& task = co_await this_task();
    task.executor().root().spawn(serve(member));
    co_await member->has_begun.wait();
}

gyre::Future<void> OtherMachines::serve(Member* member) {
    Task& task = co_await this_task();
    PromiseBase* promise = co_await ThisPromise();
    Executor& executor = task.executor();
    Scope actors(executor, &task, {.name = "vela actors", .cancels_on_failure = false});
    // The simulator has one loop, which every number names.
    if (&executor != member->main_executor) {
        member->system.open(actors, "vela " + std::to_string(member->exchange.number()));
    }
    {
        HostClock clock(member->host);
        Scope scope(executor, &task, {.name = "vela", .cancels_on_failure = false});
        Tasks tasks(member->vm, scope, *promise, clock);
        Exchange& exchange = member->exchange;
        exchange.machines.endpoints[exchange.number()] = make_endpoint(member->system, exchange);
        member->has_begun.set();
        co_await shield(tasks.is_over().wait());
        static_cast<void>(tasks.report());
        scope.cancel("the program has ended");
        co_await shield(scope.all_ended());
        co_await shield(tasks.withdraw_timers());
        member->dead_letter_count = tasks.dead_letter_count();
    }
    member->has_ended.set();
    co_await shield(actors.all_ended());
    member->has_closed.set();
}

gyre::Future<void> OtherMachines::await_end(Member* member) {
    co_await member->has_ended.wait();
}
gyre::Future<void> OtherMachines::await_close(Member* member) {
    co_await member->has_closed.wait();
}

gyre::Future<void> OtherMachines::start_all() {
    Task& task = co_await this_task();
    actors_.emplace(task.executor(), &task,
                    ScopeOptions{.name = "vela actors", .cancels_on_failure = false});
    system_.open(*actors_, "vela 0");
    machines_.endpoints[0] = make_endpoint(system_, main_);
    // One after the other: when `begin` has returned, its writes are seen here.
    for (std::size_t i = 0; i < members_.size(); ++i) {
        Member* member = members_[i].get();
        member->main_executor = &task.executor();
        co_await on(loops_[i], &OtherMachines::begin, member);
    }
}

gyre::Future<void> OtherMachines::start() {
    co_await shield(start_all());
}

void OtherMachines::cancel() {
    for (std::size_t i = 1; i < machines_.count(); ++i) {
        machines_.endpoints[i].send(ProgramCancelled());
    }
}

gyre::Future<std::string> OtherMachines::waiting_text() {
    std::string text;
    for (std::size_t i = 1; i < machines_.count(); ++i) {
        const WhoWaits question;
        text += co_await machines_.endpoints[i].ask(question);
    }
    co_return text;
}

gyre::Future<void> OtherMachines::end_all(int exit_code) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        machines_.endpoints[i + 1].send(ProgramEnds{exit_code});
        co_await on(loops_[i], &OtherMachines::await_end, members_[i].get());
    }
    system_.stop();
    co_await actors_->all_ended();
    for (std::size_t i = 0; i < members_.size(); ++i) {
        co_await on(loops_[i], &OtherMachines::await_close, members_[i].get());
    }
    for (auto& endpoint : machines_.endpoints) endpoint = {};
}

gyre::Future<void> OtherMachines::end(int exit_code) {
    co_await shield(end_all(exit_code));
}

std::uint64_t OtherMachines::dead_letter_count() const noexcept {
    std::uint64_t count = 0;
    for (const auto& member : members_) count += member->dead_letter_count;
    return count;
}

}  // namespace gyre::vela::vm
