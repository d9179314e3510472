// SPDX-License-Identifier: Apache-2.0
// The end of scope.hpp, which includes it: how a body runs in a scope of its own.
#pragma once

#include "gyre/task/scope.hpp"
#include "gyre/task/this_task.hpp"

namespace gyre {

template <class F>
    requires AsyncFunction<F, Scope&>
auto with_scope(F body, ScopeOptions options) -> std::invoke_result_t<F&, Scope&> {
    Task& owner = co_await this_task();
    Scope scope(owner.executor(), &owner, options);
    auto result = scope.spawn_body([&body](Scope* inner) { return body(*inner); });
    co_await scope.join();
    co_return result.outcome().take();
}

}  // namespace gyre
