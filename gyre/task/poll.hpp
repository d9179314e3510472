// SPDX-License-Identifier: Apache-2.0
// Poll<T>: what a poll found: the value, if it is there. A plain value.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "gyre/base/assert.hpp"
#include "gyre/task/outcome.hpp"

namespace gyre {

struct Pending {};
inline constexpr Pending pending;

template <class T>
class [[nodiscard]] Poll {
    using Value = std::conditional_t<std::is_void_v<T>, Unit, T>;

public:
    Poll(Pending /*unit*/) noexcept {}
    Poll(Value value) : value_(std::move(value)) {}

    [[nodiscard]] bool is_ready() const noexcept { return value_.has_value(); }
    [[nodiscard]] bool is_pending() const noexcept { return !value_.has_value(); }
    // Only where it is ready.
    [[nodiscard]] Value& value() noexcept {
        GYRE_ASSERT(value_.has_value(), "this poll is pending: it has no value");
        return *value_;
    }

private:
    std::optional<Value> value_;
};

}  // namespace gyre
