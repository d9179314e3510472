// SPDX-License-Identifier: Apache-2.0
// WasmGuest: runs the functions of a WebAssembly module for an effect::Scheduler: those that perform effects by the
// Voyd host protocol, in both of its generations, and plain ones. Each run has an instance of its own, unless they share
// one.
//
//     WasmGuest guest(Program::read(engine->compile(bytes)), {.limits = {.memory_max_bytes = 64 << 20}});
//     auto run = scheduler.start(guest, handlers, "main", Arguments::of(1));
//     RunOutcome<Value> outcome = co_await run;
//
// A module may retain callbacks and give their numbers to its host, which calls one by a run of its own, in the store
// that has retained it:
//
//     auto clicked = scheduler.start(guest, handlers, WasmGuest::callback_entry(number), Arguments::of("click"));
//
// Thread: the scheduler's.
// Lifetime: it outlives its runs; the engine outlives it. A callback lives until it is released, at most as long as its
// store: that of a run, or the shared one.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/effect/guest.hpp"
#include "lang/wasm/engine.hpp"
#include "lang/wasm/program.hpp"

namespace gyre::wasm {

enum class FrameDirection : std::uint8_t { into_guest, out_of_guest };

// A function of another package that the module calls. An exception fails the run.
using ExternalCall = std::function<effect::Value(const effect::Arguments&)>;

// An import that a handler answers, as it answers an effect: `module` is the effect, `name` the op, of the kind tail. The
// guest waits inside of the call while the loop goes on. Meanwhile no other task may enter the store: one that does
// fails.
struct HandledImport {
    std::string module;
    std::string name;
    // The arguments of the request, read from those of the call and from the memory. None: the results are there, and
    // nobody is asked.
    std::function<std::optional<effect::Arguments>(Instance&, std::span<const Cell>,
                                                   std::span<Cell> results)>
        ask;
    // Writes the answer into the results and the memory.
    std::function<void(Instance&, std::span<const Cell>, const effect::Value& answer,
                       std::span<Cell> results)>
        take;
};

struct GuestOptions {
    InstanceLimits limits = {};
    // Of the buffer for frames that a task has while it runs; 0: 131072 bytes, 4096 in the first generation. It grows
    // when a frame does not fit, up to the limit.
    std::size_t buffer_size_bytes = 0;
    // The default has room for the largest text, 16 MiB, and the frame around it.
    std::size_t buffer_max_bytes = (std::size_t{16} << 20u) + 65'536;
    // Called for each frame, for a record of them.
    std::function<void(FrameDirection, std::string_view)> on_frame = {};
    // Functions for imports of the module that are not of the protocol; called once for each instance, with the run
    // that makes it.
    std::function<std::vector<HostImport>(effect::RunId)> imports = {};
    std::vector<HandledImport> handled_imports = {};
    // All runs share one instance: what the module keeps in its globals and its heap, and the limit of memory. While a call
    // of one is preempted, the others wait.
    bool shares_store = false;
    // The external functions of the module that return at once, by `interface::function`. Others are effects.
    std::map<std::string, ExternalCall> externals = {};
    std::uint64_t seed = 1;  // of the numbers of callbacks
};

class WasmGuest final : public effect::Guest {
public:
    explicit WasmGuest(std::shared_ptr<const Program> program, GuestOptions options = {});
    ~WasmGuest() override;

    [[nodiscard]] const Program& program() const noexcept { return *program_; }
    // Runs that have begun and not ended.
    [[nodiscard]] std::size_t run_count() const noexcept { return runs_.size(); }
    [[nodiscard]] std::size_t instance_count() const noexcept { return store_count_; }

    // The entry that calls a callback.
    [[nodiscard]] static std::string callback_entry(std::int32_t id);
    // False: there is no such callback.
    bool release_callback(std::int32_t id) noexcept;

    [[nodiscard]] std::span<const effect::OpInfo> ops() const noexcept override { return ops_; }
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
    class Store;

    // None: the entry calls no callback.
    [[nodiscard]] static std::optional<std::int32_t> callback_of(std::string_view entry) noexcept;
    // Null: no store has it.
    [[nodiscard]] std::shared_ptr<Store> store_with_callback(std::int32_t id) const;
    // A shared store that could not be made is not kept for the next run.
    void forget_broken(const Store& store) noexcept;

    std::shared_ptr<const Program> program_;
    GuestOptions options_;
    std::vector<effect::OpInfo> ops_;  // of the program, then of the handled imports
    std::size_t store_count_ = 0;
    std::uint32_t last_invocation_ = 0;  // of a callback
    std::shared_ptr<Store> shared_;
    std::map<effect::RunId, std::unique_ptr<Session>> runs_;
};

}  // namespace gyre::wasm
