// SPDX-License-Identifier: Apache-2.0
// The errors and traps of wasmtime as exceptions. Each function takes its argument over. Any thread.
#pragma once

#include <memory>
#include <string>

#include "lang/wasm/wasmtime/internal/c_api.hpp"

namespace gyre::wasm {

struct DeleteError {
    void operator()(wasmtime_error_t* error) const noexcept { wasmtime_error_delete(error); }
};
struct DeleteTrap {
    void operator()(wasm_trap_t* trap) const noexcept { wasm_trap_delete(trap); }
};
using ErrorPtr = std::unique_ptr<wasmtime_error_t, DeleteError>;
using TrapPtr = std::unique_ptr<wasm_trap_t, DeleteTrap>;

[[nodiscard]] std::string message_of(const ErrorPtr& error);
// As a GuestTrap: of the kind stack_limit, time_limit, memory_limit or trap.
[[noreturn]] void throw_trap(const TrapPtr& trap);
[[noreturn]] void throw_error(const ErrorPtr& error);

}  // namespace gyre::wasm
