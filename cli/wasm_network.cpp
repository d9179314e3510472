// SPDX-License-Identifier: Apache-2.0
// https as gyre fetch has it: the authorities of the system.
#include "cli/wasm_network.hpp"

#include "cli/https.hpp"
#include "lang/wasm/http/http_effects.hpp"

namespace gyre::cli {
namespace {

class HttpNetwork final : public WasmNetwork {
public:
    explicit HttpNetwork(wasm::HttpOptions options) : effects_(std::move(options)) {}
    void add_to(effect::Handlers& handlers, const wasm::Program& program) override {
        effects_.add_to(handlers, program);
    }

private:
    wasm::HttpEffects effects_;
};

}  // namespace

std::unique_ptr<WasmNetwork> make_wasm_network(const std::vector<std::string>& allowed) {
    wasm::HttpOptions options;
    options.allowed = allowed;
    options.connector = make_connector({});
    return std::make_unique<HttpNetwork>(std::move(options));
}

bool is_network_op(const effect::OpInfo& op) noexcept {
    return wasm::HttpEffects::has(op);
}

}  // namespace gyre::cli
