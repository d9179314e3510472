// SPDX-License-Identifier: Apache-2.0
// Engine: the interface to a JavaScript engine. An adapter implements it, one folder each
// (lang/script/v8). Functions and objects stay inside of the engine: the host library, which is
// JavaScript too, keeps them, and the host gets numbers and texts. A Script owns an engine.
//
//     script::Script program(clock, system, {.engine = script::v8::make_engine});
//
// Thread: the thread that made it; any for `terminate`.
// Lifetime: the host and the clock outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gyre/job/host.hpp"
#include "gyre/kernel/clock.hpp"
#include "lang/script/debugger.hpp"

namespace gyre::script {

// The memory of a SharedArrayBuffer: lives as long as somebody holds it. Any thread.
class SharedMemory {
public:
    virtual ~SharedMemory() = default;
};

// The arguments and the result of one call of a native function. No exception may leave a native
// function: the adapter makes a JavaScript error of it.
class NativeCall {
public:
    virtual ~NativeCall() = default;
    [[nodiscard]] virtual std::size_t count() const noexcept = 0;
    [[nodiscard]] virtual double number(std::size_t index) = 0;  // NaN where it is none
    [[nodiscard]] virtual bool truth(std::size_t index) = 0;
    [[nodiscard]] virtual std::string text(std::size_t index) = 0;  // UTF-8
    // The memory of a typed array, until the function returns.
    [[nodiscard]] virtual std::span<std::byte> bytes(std::size_t index) = 0;

    // null: the argument is no SharedArrayBuffer.
    [[nodiscard]] virtual std::shared_ptr<SharedMemory> shared_memory(std::size_t index) = 0;

    // The result; undefined without one of these.
    virtual void give_number(double number) = 0;
    virtual void give_truth(bool truth) = 0;
    virtual void give_text(std::string_view text) = 0;
    // A SharedArrayBuffer of this memory, which an engine of the same kind has made.
    virtual void give_shared_memory(const std::shared_ptr<SharedMemory>& memory) = 0;
    // The call throws a JavaScript error: "Error", "TypeError" or "RangeError".
    virtual void fail(std::string_view type, std::string_view message) = 0;
};

// A function that the host gives to the host library, under `natives`.
struct Native {
    const char* name;
    void (*function)(void* host, NativeCall& call);
    // Its host; null: the one that `start` was given.
    void* host = nullptr;
};

// A file of the host library: the body of a function with the parameters (host, shelf). It puts
// what later files need on the shelf. A lazy file does not run at the start: the library gets its
// function by engine.compileLibrary(name) when a script first needs it.
struct LibraryFile {
    const char* name;
    std::string_view text;
    bool is_lazy = false;
};

// The functions of the host library that the host calls: properties of shelf.hooks.
enum class Hook : std::uint8_t {
    run_main,
    run_ticks,
    run_timer,
    run_immediates,
    on_promise,
    on_rejection,
    on_rejection_handled,
    on_uncaught,
    on_before_exit,
    on_exit,
    on_signal,
    on_input,
    settle,
    on_done,
    import_module,
    fill_import_meta,
    resolve_module,
};
inline constexpr std::array hook_names = {
    "runMain",      "runTicks",    "runTimer",           "runImmediates",
    "onPromise",    "onRejection", "onRejectionHandled", "onUncaught",
    "onBeforeExit", "onExit",      "onSignal",           "onInput",
    "settle",       "onDone",      "importModule",       "fillImportMeta",
    "resolveModule"};

// How a call into the engine ended. `stopped`: by terminate or a limit; no script runs any more.
enum class Outcome : std::uint8_t { done, threw, stopped };

// An argument of a hook.
struct Argument {
    Argument(double value) : number(value) {}
    Argument(std::string_view value) : text(value), is_text(true) {}
    double number = 0;
    std::string_view text;
    bool is_text = false;
};

// Words that the library and the host both read and write without a call.
struct SharedWords {
    enum : std::size_t {
        ticks_pending,
        ticks_run,
        immediates_wait,       // 1: some wait behind the batch
        immediates_are_batch,  // 1: some of the batch have not run
        immediates_are_taken,  // 1: those that wait belong to the batch
        immediate_references,
        immediates_run,
        count
    };
};

struct EngineOptions {
    // Of the heap; the engine ends with `stopped` where a script needs more. 0: the engine's own.
    std::size_t memory_limit_bytes = 0;
    // Of the call stack of scripts, and of the part of the heap for young objects, in an engine that has
    // one. 0: the engine's own.
    std::size_t stack_limit_bytes = 0;
    std::size_t young_limit_bytes = 0;
    // For Math.random; none: a random one.
    std::optional<std::uint64_t> seed;
    // Where Date reads the time, in milliseconds since 1970; empty: the system's.
    std::function<double()> date;
};

struct MemoryUse {
    std::size_t heap_total = 0;
    std::size_t heap_used = 0;
    std::size_t external = 0;
};

class Engine {
public:
    virtual ~Engine() = default;

    // Runs the files of the host library, once. The files outlive the engine. `config` is JSON, for
    // the library.
    [[nodiscard]] virtual Outcome start(std::span<const LibraryFile> library,
                                        std::span<const Native> natives, void* host,
                                        std::string_view config) = 0;
    // Calls a function of the host library. A number that it returns is in `result`.
    [[nodiscard]] virtual Outcome call(Hook hook, std::span<const Argument> arguments = {}) = 0;
    [[nodiscard]] virtual double result() const noexcept = 0;
    // Passes the value that the last call threw to a function of the library.
    [[nodiscard]] virtual Outcome call_with_thrown(Hook hook) = 0;
    // The value that the last call threw, as text for a report.
    [[nodiscard]] virtual std::string thrown_text() = 0;

    [[nodiscard]] virtual job::JobSource& microtasks() noexcept = 0;
    [[nodiscard]] virtual std::span<std::int32_t> shared_words() noexcept = 0;

    // Any thread: ends the running script; catch and finally blocks do not run.
    virtual void terminate() noexcept = 0;
    [[nodiscard]] virtual bool is_stopped() const noexcept = 0;
    // Any thread: ends the call that runs, as terminate does, but for that call alone: it threw an Error
    // "interrupted". Microtasks that wait may be dropped.
    virtual void interrupt() noexcept = 0;
    // Between two calls. True: the interrupt has ended none, and will end none any more.
    [[nodiscard]] virtual bool withdraw_interrupt() noexcept = 0;
    // The memory limit was the reason.
    [[nodiscard]] virtual bool is_out_of_memory() const noexcept = 0;
    [[nodiscard]] virtual MemoryUse memory() noexcept = 0;
    virtual void collect_garbage() = 0;

    // Calls `tell` before each reaction of a promise with the function and the place that registered
    // it, as `then: name (file:line:column)`. False: the engine cannot.
    [[nodiscard]] virtual bool tell_reactions(std::function<void(std::string_view)> /*tell*/) {
        return false;
    }

    // Tasks that the engine has for the thread of the script. `bell` is called on any thread when
    // there is one.
    virtual void set_task_bell(std::function<void()> bell) = 0;
    virtual void run_tasks() = 0;
    // Waits for the engine's threads; true when tasks came of it.
    [[nodiscard]] virtual bool drain_tasks() = 0;

    // For a client of the DevTools protocol. Null: the engine has no debugger.
    [[nodiscard]] virtual std::unique_ptr<Debugger> open_debugger(DebugLink& /*link*/) {
        return nullptr;
    }

    [[nodiscard]] virtual std::string version() const = 0;
};

using EngineFactory = std::unique_ptr<Engine> (*)(const EngineOptions& options);

}  // namespace gyre::script
