// SPDX-License-Identifier: Apache-2.0
// WasmGuest: runs the functions of a WebAssembly module for an effect::Scheduler: those that perform effects by the
// Voyd host protocol, in both of its generations, and plain ones. Each run has an instance of its own.
//
//     WasmGuest guest(Program::read(engine->compile(bytes)), {.limits = {.memory_max_bytes = 64 << 20}});
//     auto run = scheduler.start(guest, handlers, "main", Arguments::of(1));
//     RunOutcome<Value> outcome = co_await run;
//
// Thread: the scheduler's.
// Lifetime: it outlives its runs; the engine outlives it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/effect/guest.hpp"
#include "lang/wasm/engine.hpp"
#include "lang/wasm/program.hpp"

namespace gyre::wasm {

enum class FrameDirection : std::uint8_t { into_guest, out_of_guest };

struct GuestOptions {
    InstanceLimits limits = {};
    // Of the buffer for frames that each task has; 0: 131072 bytes, 4096 in the first generation. It grows
    // when a frame does not fit, up to the limit.
    std::size_t buffer_size_bytes = 0;
    std::size_t buffer_max_bytes = std::size_t{16} << 20u;
    // Called for each frame, for a record of them.
    std::function<void(FrameDirection, std::string_view)> on_frame = {};
    // Functions for imports of the module that are not of the protocol; called once for each run.
    std::function<std::vector<HostImport>(effect::RunId)> imports = {};
};

class WasmGuest final : public effect::Guest {
public:
    explicit WasmGuest(std::shared_ptr<const Program> program, GuestOptions options = {});
    ~WasmGuest() override;

    [[nodiscard]] const Program& program() const noexcept { return *program_; }
    // Runs that have an instance.
    [[nodiscard]] std::size_t instance_count() const noexcept { return runs_.size(); }

    [[nodiscard]] std::span<const effect::OpInfo> ops() const noexcept override {
        return program_->ops();
    }
    [[nodiscard]] bool is_engine() const noexcept override { return true; }
    void begin_run(effect::RunId run) override;
    void end_run(effect::RunId run) noexcept override;
    [[nodiscard]] effect::Step start(std::string_view entry, effect::Arguments arguments,
                                     effect::TaskHost& tasks) override;
    [[nodiscard]] effect::Step resume(effect::Continuation at, effect::Value answer,
                                      effect::TaskHost& tasks) override;
    [[nodiscard]] effect::Step end(effect::Continuation at, effect::Value value,
                                   effect::TaskHost& tasks) override;
    void release(effect::Continuation at) noexcept override;
    void drop(effect::Held value) noexcept override;

private:
    class Session;

    std::shared_ptr<const Program> program_;
    GuestOptions options_;
    std::map<effect::RunId, std::unique_ptr<Session>> runs_;
};

}  // namespace gyre::wasm
