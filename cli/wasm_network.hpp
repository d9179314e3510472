// SPDX-License-Identifier: Apache-2.0
// The HTTP effects of modules, in wasm_network.cpp. A build without gyre/http has none: without_http.cpp. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gyre/effect/handlers.hpp"
#include "lang/wasm/program.hpp"

namespace gyre::cli {

// Outlives the runs and the loop that use it.
class WasmNetwork {
public:
    virtual ~WasmNetwork() = default;
    virtual void add_to(effect::Handlers& handlers, const wasm::Program& program) = 0;
};

// With the permissions `net=HOST:PORT`. Null: this build has no HTTP.
[[nodiscard]] std::unique_ptr<WasmNetwork> make_wasm_network(
    const std::vector<std::string>& allowed);
[[nodiscard]] bool is_network_op(const effect::OpInfo& op) noexcept;

}  // namespace gyre::cli
