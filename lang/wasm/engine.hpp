// SPDX-License-Identifier: Apache-2.0
// Engine: what lang/wasm needs of a WebAssembly engine: it compiles a module, a module makes instances, and
// an instance calls its exports. lang/wasm/wasmtime implements it.
//
//     std::unique_ptr<Engine> engine = make_wasmtime();
//     std::shared_ptr<Module> module = engine->compile(bytes);       // throws CompileError
//     std::unique_ptr<Instance> instance = module->make_instance({}, {});
//     for (auto progress = instance->begin(); progress == Progress::preempted;)
//         progress = instance->go_on();
//
// Thread: an engine and its modules may be used by any thread, an instance by one at a time.
// Lifetime: an engine outlives its modules, these outlive their instances. A Ref belongs to its instance.
// Protocol: an instance is inside at most one call, which `begin` or `begin_call` starts and which has ended
// when they or `go_on` return `done` or throw. A call that is preempted or waits must go on, or be abandoned, before
// any other begins. A trap is a GuestTrap, a limit a ProtocolError of its kind; both end the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/base/failure.hpp"
#include "gyre/kernel/clock.hpp"

namespace gyre::wasm {

// The bytes are no module, or one that the engine refuses.
class CompileError : public Failure {
    using Failure::Failure;
};

// A rooted reference to an object of the guest, in its instance's numbering; 0 is null.
using Ref = std::uint32_t;

enum class CellKind : std::uint8_t { i32, i64, f32, f64, ref, other };

// An argument or a result of a call.
struct Cell {
    CellKind kind = CellKind::i32;
    union {
        std::int32_t i32;
        std::int64_t i64 = 0;
        float f32;
        double f64;
        Ref ref;
    };
};
[[nodiscard]] inline Cell cell(std::int32_t number) noexcept {
    Cell made;
    made.i32 = number;
    return made;
}
[[nodiscard]] inline Cell cell_of(Ref reference) noexcept {
    Cell made;
    made.kind = CellKind::ref;
    made.ref = reference;
    return made;
}

enum class ItemKind : std::uint8_t { function, memory, global, table, other };

// An import or an export.
struct Item {
    std::string module;  // of an import
    std::string name;
    ItemKind kind = ItemKind::other;
    std::vector<CellKind> params = {};
    std::vector<CellKind> results = {};
};

struct InstanceLimits {
    std::size_t memory_max_bytes = std::size_t{256} << 20u;  // of linear memory, and of the GC heap
    std::size_t table_max = 1'000'000;                       // elements
    // Processor time of the guest, counted in the engine's ticks; 0: no limit.
    Duration time_max{0};
    // Whether a long call is stopped and goes on later. Not in virtual time: nothing is timed there.
    bool is_preemptible = true;
    // The same by fuel, which counts instructions: a call is stopped after so much each time, at the same place in
    // every run of a program. 0: it is not. Only with an engine that counts fuel.
    std::uint64_t fuel_step = 0;
    // All fuel of an instance; 0: no limit. Beyond it a call ends as time_limit.
    std::uint64_t fuel_max = 0;
};

enum class Progress : std::uint8_t {
    done,
    preempted,
    waiting,  // inside of an import that waits for its host: go_on when the import can finish
};

class Instance {
public:
    using Function = std::uint32_t;

    virtual ~Instance() = default;

    // Instantiates: runs the start function.
    [[nodiscard]] virtual Progress begin() = 0;
    [[nodiscard]] virtual Progress begin_call(Function function,
                                              std::span<const Cell> arguments) = 0;
    [[nodiscard]] virtual Progress go_on() = 0;
    // Of the call that has ended: how many results it has, and each, once. The caller owns a Ref.
    [[nodiscard]] virtual std::size_t result_count() const noexcept = 0;
    [[nodiscard]] virtual Cell result(std::size_t at) const = 0;
    // A call that never takes long, such as a look at a field. Ends as time_limit if it does. Refs of
    // the results belong to the caller.
    virtual Cell call(Function function, std::span<const Cell> arguments) = 0;
    // Ends a call that is preempted or waits where it is, as a trap would: other calls may follow.
    virtual void abandon() noexcept = 0;

    // Processor time of the guest, which `time_max` limits. Runs that share an instance each count their own.
    [[nodiscard]] virtual Duration time_used() const noexcept { return Duration(0); }
    virtual void set_time_used(Duration /*time*/) noexcept {}

    // An exported function; none: there is no such export.
    [[nodiscard]] virtual std::optional<Function> find(std::string_view name) = 0;
    // The exported memory of that name becomes `memory`. False: there is none.
    virtual bool use_memory(std::string_view name) = 0;
    // Valid until the next call or growth.
    [[nodiscard]] virtual std::span<std::byte> memory() = 0;
    // Makes the memory at least this large. False: a limit of the module or the instance.
    [[nodiscard]] virtual bool grow_memory(std::size_t size_bytes) = 0;
    // An exported global of type i32.
    [[nodiscard]] virtual std::optional<std::int32_t> global(std::string_view name) = 0;
    virtual void set_global(std::string_view name, std::int32_t value) = 0;

    // Another root for the same object.
    [[nodiscard]] virtual Ref clone(Ref reference) = 0;
    virtual void release(Ref reference) noexcept = 0;
    [[nodiscard]] virtual std::size_t ref_count() const noexcept = 0;
};

// A function that the guest imports. An exception becomes a trap of the guest and is thrown again by the call
// that the guest was in.
using HostFunction =
    std::move_only_function<void(Instance&, std::span<const Cell>, std::span<Cell>)>;
struct HostImport {
    std::string module;
    std::string name;
    HostFunction function;
    // Of an import that may wait; its parameters are numbers. It is called first: false means that the results are
    // there, true that the call waits. Then `function` gives the results, with the same arguments, when the instance
    // goes on. In a call that must be brief such an import fails.
    std::move_only_function<bool(Instance&, std::span<const Cell>, std::span<Cell>)> begin = {};
};

class Module {
public:
    virtual ~Module() = default;
    [[nodiscard]] virtual const std::vector<Item>& imports() const noexcept = 0;
    [[nodiscard]] virtual const std::vector<Item>& exports() const noexcept = 0;
    // The bytes of the module itself, also where it was compiled from text.
    [[nodiscard]] virtual std::string_view bytes() const noexcept = 0;
    // Throws a CompileError that names an import which `imports` lacks.
    [[nodiscard]] virtual std::unique_ptr<Instance> make_instance(
        const InstanceLimits& limits, std::vector<HostImport> imports) = 0;
};

class Engine {
public:
    virtual ~Engine() = default;
    // `wasmtime 48, copying collector`
    [[nodiscard]] virtual std::string description() const = 0;
    // Takes a binary module or its text format.
    [[nodiscard]] virtual std::shared_ptr<Module> compile(std::string_view module) = 0;
};

}  // namespace gyre::wasm
