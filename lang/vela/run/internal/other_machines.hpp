// SPDX-License-Identifier: Apache-2.0
// OtherMachines: the machines of a program beyond the one that runs main, each on a further loop. They
// run actors only. One thread: that of the loop of main; each machine itself belongs to its own loop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gyre/actor/actor.hpp"
#include "gyre/task/core/future.hpp"
#include "lang/vela/run/internal/exchange.hpp"
#include "lang/vela/run/internal/tasks.hpp"
#include "lang/vela/run/run.hpp"

namespace gyre::vela::vm {

// `co_await ThisPromise()`: the coroutine itself, which timers of the program belong to.
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

class OtherMachines {
public:
    OtherMachines(const Lowered& lowered, RunHost& host, const MachineOptions& options,
                  const NativeLibraries& libraries);
    ~OtherMachines();
    OtherMachines(const OtherMachines&) = delete;
    OtherMachines& operator=(const OtherMachines&) = delete;

    // Of the machine that runs main, which is made with it.
    [[nodiscard]] Exchange& exchange() noexcept { return main_; }

    // On the loop of main, before the program begins. A cancel does not reach it.
    [[nodiscard]] gyre::Future<void> start();
    // They stop their servers, or cancel their tasks.
    void cancel();
    // Who waits there.
    [[nodiscard]] gyre::Future<std::string> waiting_text();
    // Ends them and waits until all that they have begun has ended.
    [[nodiscard]] gyre::Future<void> end(int exit_code);
    [[nodiscard]] std::uint64_t dead_letter_count() const noexcept;

private:
    struct Member;
    static gyre::Future<void> begin(Member* member);
    static gyre::Future<void> serve(Member* member);
    static gyre::Future<void> await_end(Member* member);
    static gyre::Future<void> await_close(Member* member);
    static actor::Ref<Endpoint> make_endpoint(actor::System& system, Exchange& of);
    gyre::Future<void> start_all();
    gyre::Future<void> end_all(int exit_code);

    const std::vector<MachineRef> loops_;
    Machines machines_;
    Exchange main_;
    actor::System system_{{.serves_threads = true}};
    std::optional<Scope> actors_;  // of the loop of main
    std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace gyre::vela::vm
