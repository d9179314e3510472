// SPDX-License-Identifier: Apache-2.0
#include "lang/wasm/wasmtime/internal/wasmtime_module.hpp"

#include <utility>

#include "gyre/base/assert.hpp"
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
    wasmtime_config_memory_reservation_for_growth_set(config, std::uint64_t{1} << 20u);
    if (has_copying_collector()) {
        gyre_wasmtime_config_collector_set(config, static_cast<std::uint8_t>(options.collector));
        gyre_wasmtime_config_gc_heap_initial_size_set(config, options.gc_heap_size_bytes);
        gyre_wasmtime_config_gc_heap_reservation_set(config, 0);
    }
    wasm_engine_t* engine = wasm_engine_new_with_config(config);
    GYRE_ASSERT(engine != nullptr, "wasmtime refuses the configuration of this engine");
    return engine;
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
    if (module.starts_with("\0asm"sv)) {
        return std::make_shared<WasmtimeModule>(*this, std::string(module));
    }
    wasm_byte_vec_t binary{};
    if (const ErrorPtr error(wasmtime_wat2wasm(module.data(), module.size(), &binary)); error) {
        throw CompileError(message_of(error));
    }
    std::string bytes(binary.data, binary.size);
    wasm_byte_vec_delete(&binary);
    return std::make_shared<WasmtimeModule>(*this, std::move(bytes));
}

WasmtimeModule::WasmtimeModule(WasmtimeEngine& engine, std::string bytes)
    : engine_(engine), bytes_(std::move(bytes)) {
    wasmtime_module_t* compiled = nullptr;
    const ErrorPtr error(wasmtime_module_new(engine_.get(),
                                             reinterpret_cast<const std::uint8_t*>(bytes_.data()),
                                             bytes_.size(), &compiled));
    if (error) throw CompileError(message_of(error));
    module_.reset(compiled);
    read_items();
    link();
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
}

// Every imported function calls the instance that the store belongs to, with its number.
void WasmtimeModule::link() {
    wasm_importtype_vec_t imports{};
    wasmtime_module_imports(module_.get(), &imports);
    const std::unique_ptr<wasmtime_linker_t, decltype(&wasmtime_linker_delete)> linker(
        wasmtime_linker_new(engine_.get()), &wasmtime_linker_delete);
    bool is_whole = true;
    for (std::size_t i = 0; i < imports.size; ++i) {
        const wasm_externtype_t* type = wasm_importtype_type(imports.data[i]);
        Item item = item_of(type);
        item.module = text_of(wasm_importtype_module(imports.data[i]));
        item.name = text_of(wasm_importtype_name(imports.data[i]));
        if (item.kind == ItemKind::function) {
            const ErrorPtr error(wasmtime_linker_define_func(
                linker.get(), item.module.data(), item.module.size(), item.name.data(),
                item.name.size(), wasm_externtype_as_functype_const(type),
                &WasmtimeInstance::on_import, reinterpret_cast<void*>(i), nullptr));
            is_whole = is_whole && error == nullptr;
        } else {
            is_whole = false;
        }
        imports_.push_back(std::move(item));
    }
    wasm_importtype_vec_delete(&imports);
    if (!is_whole) return;  // make_instance says which import is missing
    wasmtime_instance_pre_t* linked = nullptr;
    const ErrorPtr error(wasmtime_linker_instantiate_pre(linker.get(), module_.get(), &linked));
    if (error) throw CompileError(message_of(error));
    linked_.reset(linked);
}

std::unique_ptr<Instance> WasmtimeModule::make_instance(const InstanceLimits& limits,
                                                        std::vector<HostImport> given) {
    std::vector<HostFunction> functions;
    for (const Item& item : imports_) {
        HostFunction found;
        for (HostImport& one : given) {
            const bool is_it = one.module == item.module && one.name == item.name;
            if (is_it && item.kind == ItemKind::function) found = std::move(one.function);
        }
        if (!found) {
            throw CompileError("the module imports " + item.module + "." + item.name +
                               ", which this host does not have");
        }
        functions.push_back(std::move(found));
    }
    GYRE_ASSERT(linked_ != nullptr, "a module whose imports are all functions was linked");
    return std::make_unique<WasmtimeInstance>(*this, limits, std::move(functions));
}

}  // namespace gyre::wasm
