// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/wasmtime/internal/wasmtime_module.hpp"

#include <algorithm>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/scope_exit.hpp"
#include "lang/wasm/wasmtime/internal/errors.hpp"
#include "lang/wasm/wasmtime/internal/shim.hpp"
#include "lang/wasm/wasmtime/internal/wasmtime_instance.hpp"

namespace gyre::wasm {
namespace {

constexpr std::size_t host_stack_bytes = std::size_t{512}
                                         << 10u;  // for imports, beside the guest's

wasm_engine_t* new_engine(const WasmtimeOptions& options) {
    wasm_config_t* config = wasm_config_new();
    wasmtime_config_epoch_interruption_set(config, true);
    wasmtime_config_consume_fuel_set(config, options.counts_fuel);
    wasmtime_config_signals_based_traps_set(config, false);  // gyre has handlers of its own
    wasmtime_config_native_unwind_info_set(config, false);
    wasmtime_config_wasm_function_references_set(config, true);
    wasmtime_config_wasm_gc_set(config, true);
    wasmtime_config_wasm_tail_call_set(config, true);
    wasmtime_config_max_wasm_stack_set(config, options.stack_max_bytes);
    wasmtime_config_async_stack_size_set(config, options.stack_max_bytes + host_stack_bytes);
    // Bounds are checked by code, so no address space need be reserved for it.
    wasmtime_config_memory_reservation_set(config, 0);
    wasmtime_config_memory_guard_size_set(config, 0);
    // Address space behind a memory that has grown: without it each growth copies the whole memory, and a guest that
    // grows step by step holds the loop up.
    wasmtime_config_memory_reservation_for_growth_set(config, std::uint64_t{64} << 20u);
    if (has_copying_collector()) {
        gyre_wasmtime_config_collector_set(config, static_cast<std::uint8_t>(options.collector));
        gyre_wasmtime_config_gc_heap_initial_size_set(config, options.gc_heap_size_bytes);
        gyre_wasmtime_config_gc_heap_reservation_set(config, 0);
    }
    wasm_engine_t* engine = wasm_engine_new_with_config(config);
    GYRE_ASSERT(engine != nullptr, "wasmtime refuses the configuration of this engine");
    return engine;
}

// What the machine code of a module depends on beside the module. The engine itself compares the features of
// the processor when it loads code.
std::string configuration_of(const WasmtimeOptions& options) {
    return "wasmtime " + wasmtime_version() + " collector " +
           std::to_string(has_copying_collector() ? static_cast<int>(options.collector) : -1) +
           " stack " + std::to_string(options.stack_max_bytes) + " heap " +
           std::to_string(options.gc_heap_size_bytes) + (options.counts_fuel ? " fuel" : "");
}

const std::uint8_t* data_of(const std::string& bytes) noexcept {
    return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

std::string text_of(const wasm_byte_vec_t* bytes) {
    return std::string(bytes->data, bytes->size);
}

CellKind cell_kind(const wasm_valtype_t* type) {
    constexpr std::uint8_t v128 = 4;
    wasmtime_valtype_t found{};
    wasmtime_valtype_new(type, &found);
    const std::uint8_t kind = found.kind;
    wasmtime_valtype_delete(&found);
    if (kind < v128) return static_cast<CellKind>(kind);
    return kind == v128 ? CellKind::other : CellKind::ref;
}

Item item_of(const wasm_externtype_t* type) {
    Item item;
    const std::uint8_t kind = wasm_externtype_kind(type);
    constexpr std::uint8_t function = 0;
    constexpr std::uint8_t global = 1;
    constexpr std::uint8_t table = 2;
    constexpr std::uint8_t memory = 3;
    item.kind = kind == function ? ItemKind::function
                : kind == global ? ItemKind::global
                : kind == table  ? ItemKind::table
                : kind == memory ? ItemKind::memory
                                 : ItemKind::other;
    if (item.kind != ItemKind::function) return item;
    const wasm_functype_t* signature = wasm_externtype_as_functype_const(type);
    const auto kinds_of = [](const wasm_valtype_vec_t* types) {
        std::vector<CellKind> kinds;
        for (std::size_t i = 0; i < types->size; ++i) kinds.push_back(cell_kind(types->data[i]));
        return kinds;
    };
    item.params = kinds_of(wasm_functype_params(signature));
    item.results = kinds_of(wasm_functype_results(signature));
    return item;
}

}  // namespace

std::unique_ptr<Engine> make_wasmtime(WasmtimeOptions options) {
    return std::make_unique<WasmtimeEngine>(options);
}

bool has_copying_collector() noexcept {
    return &gyre_wasmtime_config_collector_set != nullptr;
}

std::string wasmtime_version() {
    return GYRE_WASMTIME_VERSION;
}

WasmtimeEngine::WasmtimeEngine(WasmtimeOptions options)
    : options_(options),
      configuration_(configuration_of(options)),
      engine_(new_engine(options)),
      epochs_(options.tick, [this] { wasmtime_engine_increment_epoch(engine_.get()); }) {}

std::string WasmtimeEngine::description() const {
    const char* collector =
        !has_copying_collector() ? "reference counting only, cycles are never freed"
        : options_.collector == Collector::reference_counting ? "reference counting"
        : options_.collector == Collector::none               ? "no collector"
                                                              : "copying collector";
    return "wasmtime " + wasmtime_version() + ", " + collector;
}

std::shared_ptr<Module> WasmtimeEngine::compile(std::string_view module) {
    using namespace std::string_view_literals;
    std::string bytes(module);
    if (!module.starts_with("\0asm"sv)) {
        wasm_byte_vec_t binary{};
        const ErrorPtr error(wasmtime_wat2wasm(module.data(), module.size(), &binary));
        if (error) throw CompileError(message_of(error));
        bytes = text_of(&binary);
        wasm_byte_vec_delete(&binary);
    }
    ModulePtr code = cached_code(bytes);
    if (code == nullptr) code = compiled_code(bytes);
    return std::make_shared<WasmtimeModule>(*this, std::move(bytes), std::move(code));
}

// Null: there is none, or it is of another processor.
ModulePtr WasmtimeEngine::cached_code(const std::string& bytes) {
    if (options_.cache == nullptr) return nullptr;
    const std::optional<std::string> found = options_.cache->find(configuration_, bytes);
    if (!found) return nullptr;
    wasmtime_module_t* loaded = nullptr;
    const ErrorPtr error(
        wasmtime_module_deserialize(get(), data_of(*found), found->size(), &loaded));
    return error == nullptr ? ModulePtr(loaded) : nullptr;
}

ModulePtr WasmtimeEngine::compiled_code(const std::string& bytes) {
    wasmtime_module_t* made = nullptr;
    const ErrorPtr error(wasmtime_module_new(get(), data_of(bytes), bytes.size(), &made));
    if (error) throw CompileError(message_of(error));
    ModulePtr compiled(made);
    if (options_.cache == nullptr) return compiled;
    wasm_byte_vec_t code{};
    const ErrorPtr failed(wasmtime_module_serialize(compiled.get(), &code));
    if (failed) return compiled;
    options_.cache->keep(configuration_, bytes, {code.data, code.size});
    wasm_byte_vec_delete(&code);
    return compiled;
}

WasmtimeModule::WasmtimeModule(WasmtimeEngine& engine, std::string bytes, ModulePtr code)
    : engine_(engine), bytes_(std::move(bytes)), module_(std::move(code)) {
    read_items();
    const bool has_functions_only = std::ranges::all_of(
        imports_, [](const Item& item) { return item.kind == ItemKind::function; });
    if (has_functions_only) linked_ = link({});  // else make_instance says which import is missing
}

void WasmtimeModule::read_items() {
    wasm_exporttype_vec_t exports{};
    wasmtime_module_exports(module_.get(), &exports);
    for (std::size_t i = 0; i < exports.size; ++i) {
        Item item = item_of(wasm_exporttype_type(exports.data[i]));
        item.name = text_of(wasm_exporttype_name(exports.data[i]));
        exports_.push_back(std::move(item));
    }
    wasm_exporttype_vec_delete(&exports);
    wasm_importtype_vec_t imports{};
    wasmtime_module_imports(module_.get(), &imports);
    for (std::size_t i = 0; i < imports.size; ++i) {
        Item item = item_of(wasm_importtype_type(imports.data[i]));
        item.module = text_of(wasm_importtype_module(imports.data[i]));
        item.name = text_of(wasm_importtype_name(imports.data[i]));
        imports_.push_back(std::move(item));
    }
    wasm_importtype_vec_delete(&imports);
}

// Every imported function calls the instance that the store belongs to, with its number.
InstancePrePtr WasmtimeModule::link(const std::vector<bool>& may_wait) const {
    wasm_importtype_vec_t imports{};
    wasmtime_module_imports(module_.get(), &imports);
    const ScopeExit leave([&imports] { wasm_importtype_vec_delete(&imports); });
    const std::unique_ptr<wasmtime_linker_t, decltype(&wasmtime_linker_delete)> linker(
        wasmtime_linker_new(engine_.get()), &wasmtime_linker_delete);
    for (std::size_t i = 0; i < imports.size; ++i) {
        const Item& item = imports_[i];
        const wasm_functype_t* type =
            wasm_externtype_as_functype_const(wasm_importtype_type(imports.data[i]));
        const auto define = [&](auto define_function, auto callback) {
            // An import that stands there twice was defined by the first one.
            const ErrorPtr error(define_function(
                linker.get(), item.module.data(), item.module.size(), item.name.data(),
                item.name.size(), type, callback, reinterpret_cast<void*>(i), nullptr));
        };
        if (!may_wait.empty() && may_wait[i]) {
            define(&wasmtime_linker_define_async_func, &WasmtimeInstance::on_waiting_import);
        } else {
            define(&wasmtime_linker_define_func, &WasmtimeInstance::on_import);
        }
    }
    wasmtime_instance_pre_t* linked = nullptr;
    const ErrorPtr error(wasmtime_linker_instantiate_pre(linker.get(), module_.get(), &linked));
    if (error) throw CompileError(message_of(error));
    return InstancePrePtr(linked);
}

std::unique_ptr<Instance> WasmtimeModule::make_instance(const InstanceLimits& limits,
                                                        std::vector<HostImport> given) {
    std::vector<HostImport> found;
    std::vector<bool> may_wait;
    for (const Item& item : imports_) {
        // A module may import a function twice: the first one is called for both.
        const auto first = std::ranges::find_if(imports_, [&item](const Item& one) {
            return one.module == item.module && one.name == item.name;
        });
        if (const auto at = static_cast<std::size_t>(first - imports_.begin()); at < found.size()) {
            found.emplace_back();
            may_wait.push_back(may_wait[at]);
            continue;
        }
        const auto it = std::ranges::find_if(given, [&item](const HostImport& one) {
            return one.module == item.module && one.name == item.name && one.function;
        });
        if (it == given.end() || item.kind != ItemKind::function) {
            throw CompileError("the module imports " + item.module + "." + item.name +
                               ", which this host does not have");
        }
        found.push_back(std::move(*it));
        may_wait.push_back(static_cast<bool>(found.back().begin));
    }
    GYRE_ASSERT(linked_ != nullptr, "a module whose imports are all functions was linked");
    const bool waits = std::ranges::find(may_wait, true) != may_wait.end();
    return std::make_unique<WasmtimeInstance>(*this, limits, std::move(found),
                                              waits ? link(may_wait) : nullptr);
}

}  // namespace gyre::wasm
