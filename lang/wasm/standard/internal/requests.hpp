// SPDX-License-Identifier: Apache-2.0
// Reading the requests of standard effects and making their answers. Any thread; plain values.
#pragma once

#include <initializer_list>
#include <utility>

#include "gyre/base/failure.hpp"
#include "gyre/effect/value.hpp"

namespace gyre::wasm {

[[nodiscard]] inline effect::Value record(
    std::initializer_list<std::pair<const char*, effect::Value>> fields) {
    effect::Value::Record made;
    for (const auto& [name, value] : fields) made.emplace_back(name, value);
    return effect::Value(std::move(made));
}

// The one argument of a request, of that kind.
[[nodiscard]] inline const effect::Value& argument(const effect::Arguments& arguments,
                                                   effect::Value::Kind kind) {
    if (arguments.size() != 1 || !arguments[0].is(kind)) {
        throw Failure("a standard effect was performed with other arguments than it has");
    }
    return arguments[0];
}

}  // namespace gyre::wasm
