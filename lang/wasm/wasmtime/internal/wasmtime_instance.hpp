// SPDX-License-Identifier: Apache-2.0
// WasmtimeInstance: a store with one instance in it. A long call runs on a fiber of the engine: at a tick of its
// epochs it is left there and goes on later. One thread at a time.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "lang/wasm/engine.hpp"
#include "lang/wasm/wasmtime/internal/c_api.hpp"
#include "lang/wasm/wasmtime/internal/errors.hpp"
#include "lang/wasm/wasmtime/internal/wasmtime_module.hpp"

namespace gyre::wasm {

class WasmtimeInstance final : public Instance {
public:
    WasmtimeInstance(WasmtimeModule& module, const InstanceLimits& limits,
                     std::vector<HostImport> imports, InstancePrePtr linked);
    ~WasmtimeInstance() override;

    [[nodiscard]] Progress begin() override;
    [[nodiscard]] Progress begin_call(Function function, std::span<const Cell> arguments) override;
    [[nodiscard]] Progress go_on() override;
    [[nodiscard]] std::size_t result_count() const noexcept override { return results_.size(); }
    [[nodiscard]] Cell result(std::size_t at) const override { return results_.at(at); }
    Cell call(Function function, std::span<const Cell> arguments) override;
    void abandon() noexcept override;
    [[nodiscard]] Duration time_used() const noexcept override { return time_used_; }
    void set_time_used(Duration time) noexcept override { time_used_ = time; }

    [[nodiscard]] std::optional<Function> find(std::string_view name) override;
    bool use_memory(std::string_view name) override;
    [[nodiscard]] std::span<std::byte> memory() override;
    [[nodiscard]] bool grow_memory(std::size_t size_bytes) override;
    [[nodiscard]] std::optional<std::int32_t> global(std::string_view name) override;
    void set_global(std::string_view name, std::int32_t value) override;
    [[nodiscard]] Ref clone(Ref reference) override;
    void release(Ref reference) noexcept override;
    [[nodiscard]] std::size_t ref_count() const noexcept override {
        return refs_.size() - free_refs_.size();
    }

    // The callback of every imported function; `number` is its place among the imports.
    static wasm_trap_t* on_import(void* number, wasmtime_caller_t* caller,
                                  const wasmtime_val_t* arguments, std::size_t argument_count,
                                  wasmtime_val_t* results, std::size_t result_count);
    // The same for an import that may wait.
    static void on_waiting_import(void* number, wasmtime_caller_t* caller,
                                  const wasmtime_val_t* arguments, std::size_t argument_count,
                                  wasmtime_val_t* results, std::size_t result_count,
                                  wasm_trap_t** trap, wasmtime_async_continuation_t* continuation);

private:
    enum class CallKind : std::uint8_t { none, whole, brief };
    // Of an import that may wait: the engine asks again and again whether it can finish.
    enum class ImportState : std::uint8_t { none, waits, finishes };
    struct PendingImport {
        ImportState state = ImportState::none;
        std::size_t number = 0;
        std::span<const wasmtime_val_t> arguments = {};
        std::span<wasmtime_val_t> results = {};
        wasm_trap_t** trap = nullptr;
    };
    struct Exported {
        std::string name;
        wasmtime_func_t function;
        std::size_t param_count;
        std::size_t result_count;
    };

    static wasmtime_error_t* on_tick(wasmtime_context_t* context, void* instance,
                                     std::uint64_t* delta, std::uint8_t* kind);
    static bool on_import_polled(void* instance);
    [[nodiscard]] Progress poll();
    // The engine has left the call before its end: false if only a collection of its heap did.
    [[nodiscard]] bool must_leave(std::uint64_t first_tick);
    [[nodiscard]] bool has_used_fuel_step();
    [[nodiscard]] wasm_trap_t* keep_exception() noexcept;
    void throw_if_failed(wasm_trap_t* trap, wasmtime_error_t* error);
    [[nodiscard]] std::optional<wasmtime_extern_t> find_export(std::string_view name,
                                                               std::uint8_t kind);
    [[nodiscard]] const Exported& exported(Function function, std::size_t argument_count) const;
    void fill(std::vector<wasmtime_val_t>& values, std::span<const Cell> cells) const;
    [[nodiscard]] wasmtime_val_t to_value(const Cell& cell) const;
    // Takes the root over.
    [[nodiscard]] Cell to_cell(const wasmtime_val_t& value);
    [[nodiscard]] Ref keep(const wasmtime_val_t& value);
    // `call` gets arguments and results as cells. False: it gives no results yet.
    template <class Call>
    bool call_import(const PendingImport& import, Call call);

    WasmtimeModule& module_;
    const InstanceLimits limits_;
    std::vector<HostImport> imports_;
    const InstancePrePtr linked_;  // with imports that may wait; null: the module's own
    wasmtime_store_t* store_;
    wasmtime_context_t* context_;
    wasmtime_instance_t instance_{};
    wasmtime_memory_t memory_{};
    bool has_instance_ = false;
    bool has_memory_ = false;
    std::deque<Exported> exported_;     // a call in progress refers to its function
    std::vector<wasmtime_val_t> refs_;  // Ref n is at n - 1
    std::vector<Ref> free_refs_;

    // Of the call that the instance is in.
    wasmtime_call_future_t* future_ = nullptr;
    wasm_trap_t* trap_ = nullptr;
    wasmtime_error_t* error_ = nullptr;
    std::vector<wasmtime_val_t> values_in_;
    std::vector<wasmtime_val_t> values_out_;
    std::vector<Cell> results_;
    CallKind call_kind_ = CallKind::none;
    PendingImport pending_;
    bool is_yield_asked_ = false;  // by a tick
    std::uint64_t fuel_mark_ = 0;  // what was left when the engine last stopped the guest for fuel
    std::uint32_t brief_ticks_ = 0;
    Duration time_used_{0};
    bool is_over_time_ = false;
    std::exception_ptr thrown_;  // by an import
};

}  // namespace gyre::wasm
