// SPDX-License-Identifier: Apache-2.0
// The imports of an instance: how the engine calls them, at once or with a wait. An import that waits leaves the call where it
// is: the engine polls it, and it finishes in the first poll after go_on().
#include <string_view>
#include <utility>

#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/wasmtime/internal/wasmtime_instance.hpp"

namespace gyre::wasm {

// The arguments belong to the caller: the function sees copies of their roots.
template <class Call>
bool WasmtimeInstance::call_import(const PendingImport& import, Call call) {
    std::vector<Cell> cells;
    const ScopeExit leave([this, &cells] {
        for (const Cell& one : cells) {
            if (one.kind == CellKind::ref) release(one.ref);
        }
    });
    for (const wasmtime_val_t& argument : import.arguments) {
        wasmtime_val_t copy{};
        wasmtime_val_clone(&argument, &copy);
        cells.push_back(to_cell(copy));
    }
    const Item& item = module_.imports().at(import.number);
    std::vector<Cell> given(import.results.size());
    for (std::size_t i = 0; i < given.size(); ++i) given[i].kind = item.results.at(i);
    if (!call(std::span<const Cell>(cells), std::span<Cell>(given))) return false;
    for (std::size_t i = 0; i < given.size(); ++i) {
        import.results[i] = to_value(given[i]);
        // The root passes to the engine: only its number here is free again.
        if (given[i].kind == CellKind::ref && given[i].ref != 0) free_refs_.push_back(given[i].ref);
    }
    return true;
}

// An exception must not cross the frames of the guest: a trap does, and the call throws it again.
wasm_trap_t* WasmtimeInstance::keep_exception() noexcept {
    constexpr std::string_view message = "an import has failed";
    thrown_ = std::current_exception();
    return wasmtime_trap_new(message.data(), message.size());
}

wasm_trap_t* WasmtimeInstance::on_import(void* number, wasmtime_caller_t* caller,
                                         const wasmtime_val_t* arguments,
                                         std::size_t argument_count, wasmtime_val_t* results,
                                         std::size_t result_count) {
    auto& self =
        *static_cast<WasmtimeInstance*>(wasmtime_context_get_data(wasmtime_caller_context(caller)));
    const PendingImport import{.number = reinterpret_cast<std::size_t>(number),
                               .arguments = {arguments, argument_count},
                               .results = {results, result_count}};
    try {
        self.call_import(import, [&](std::span<const Cell> given, std::span<Cell> cells) {
            self.imports_.at(import.number).function(self, given, cells);
            return true;
        });
        return nullptr;
    } catch (...) {
        return self.keep_exception();
    }
}

// Arguments, results and trap stay where they are until the engine was told that the import has finished.
void WasmtimeInstance::on_waiting_import(void* number, wasmtime_caller_t* caller,
                                         const wasmtime_val_t* arguments,
                                         std::size_t argument_count, wasmtime_val_t* results,
                                         std::size_t result_count, wasm_trap_t** trap,
                                         wasmtime_async_continuation_t* continuation) {
    auto& self =
        *static_cast<WasmtimeInstance*>(wasmtime_context_get_data(wasmtime_caller_context(caller)));
    *continuation = {.callback = &on_import_polled, .env = &self, .finalizer = nullptr};
    const PendingImport import{.state = ImportState::waits,
                               .number = reinterpret_cast<std::size_t>(number),
                               .arguments = {arguments, argument_count},
                               .results = {results, result_count},
                               .trap = trap};
    try {
        if (self.call_kind_ != CallKind::whole) {
            throw effect::ProtocolError(
                effect::ErrorKind::guest_failed,
                "the module called an import that waits where it must return at once");
        }
        const bool is_done =
            self.call_import(import, [&](std::span<const Cell> given, std::span<Cell> cells) {
                return !self.imports_.at(import.number).begin(self, given, cells);
            });
        if (!is_done) self.pending_ = import;
    } catch (...) {
        *trap = self.keep_exception();
    }
}

bool WasmtimeInstance::on_import_polled(void* instance) {
    auto& self = *static_cast<WasmtimeInstance*>(instance);
    if (self.pending_.state == ImportState::waits) return false;
    const PendingImport import = std::exchange(self.pending_, {});
    if (import.state == ImportState::none) return true;  // it did not wait
    try {
        self.call_import(import, [&](std::span<const Cell> given, std::span<Cell> cells) {
            self.imports_.at(import.number).function(self, given, cells);
            return true;
        });
    } catch (...) {
        *import.trap = self.keep_exception();
    }
    return true;
}

}  // namespace gyre::wasm
