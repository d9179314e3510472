// SPDX-License-Identifier: Apache-2.0
// WasmtimeEngine, WasmtimeModule: wasmtime behind the interfaces of lang/wasm/engine.hpp. Any thread may use them;
// an instance (wasmtime_instance.hpp) belongs to one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/wasm/engine.hpp"
#include "lang/wasm/wasmtime/internal/c_api.hpp"
#include "lang/wasm/wasmtime/internal/epochs.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"

namespace gyre::wasm {

struct DeleteEngine {
    void operator()(wasm_engine_t* engine) const noexcept { wasm_engine_delete(engine); }
};
struct DeleteModule {
    void operator()(wasmtime_module_t* module) const noexcept { wasmtime_module_delete(module); }
};
using ModulePtr = std::unique_ptr<wasmtime_module_t, DeleteModule>;
struct DeleteInstancePre {
    void operator()(wasmtime_instance_pre_t* pre) const noexcept {
        wasmtime_instance_pre_delete(pre);
    }
};
using InstancePrePtr = std::unique_ptr<wasmtime_instance_pre_t, DeleteInstancePre>;

class WasmtimeEngine final : public Engine {
public:
    explicit WasmtimeEngine(WasmtimeOptions options);

    [[nodiscard]] std::string description() const override;
    [[nodiscard]] std::shared_ptr<Module> compile(std::string_view module) override;

    [[nodiscard]] wasm_engine_t* get() const noexcept { return engine_.get(); }
    [[nodiscard]] Epochs& epochs() noexcept { return epochs_; }
    [[nodiscard]] bool counts_fuel() const noexcept { return options_.counts_fuel; }

private:
    [[nodiscard]] ModulePtr cached_code(const std::string& bytes);
    [[nodiscard]] ModulePtr compiled_code(const std::string& bytes);

    const WasmtimeOptions options_;
    const std::string configuration_;  // the code depends on it
    std::unique_ptr<wasm_engine_t, DeleteEngine> engine_;
    Epochs epochs_;
};

class WasmtimeModule final : public Module {
public:
    WasmtimeModule(WasmtimeEngine& engine, std::string bytes, ModulePtr code);

    [[nodiscard]] const std::vector<Item>& imports() const noexcept override { return imports_; }
    [[nodiscard]] const std::vector<Item>& exports() const noexcept override { return exports_; }
    [[nodiscard]] std::string_view bytes() const noexcept override { return bytes_; }
    [[nodiscard]] std::unique_ptr<Instance> make_instance(const InstanceLimits& limits,
                                                          std::vector<HostImport> given) override;

    [[nodiscard]] WasmtimeEngine& engine() const noexcept { return engine_; }
    // Imports and module put together; the functions of the imports are those of each instance.
    [[nodiscard]] const wasmtime_instance_pre_t* linked() const noexcept { return linked_.get(); }

private:
    void read_items();
    // With the imports that may wait: the engine calls these in another way. Empty: none.
    [[nodiscard]] InstancePrePtr link(const std::vector<bool>& may_wait) const;

    WasmtimeEngine& engine_;
    std::string bytes_;
    ModulePtr module_;
    std::vector<Item> imports_;
    std::vector<Item> exports_;
    InstancePrePtr linked_;
};

}  // namespace gyre::wasm
