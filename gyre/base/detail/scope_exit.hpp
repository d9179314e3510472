// SPDX-License-Identifier: Apache-2.0
// ScopeExit: calls a function when its scope is left, in whatever way: a return, an exception, or
// the destruction of a coroutine frame. The function must not throw. Belongs to one scope: it
// neither moves nor can be dismissed.
//
//     const ScopeExit leave([&] { connections.erase(id); });
#pragma once

#include <utility>

namespace gyre {

template <class F>
class [[nodiscard]] ScopeExit {
public:
    explicit ScopeExit(F function) noexcept : function_(std::move(function)) {}
    ~ScopeExit() { function_(); }
    ScopeExit(const ScopeExit&) = delete;
    ScopeExit& operator=(const ScopeExit&) = delete;

private:
    F function_;
};

}  // namespace gyre
