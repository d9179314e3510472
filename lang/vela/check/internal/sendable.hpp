// SPDX-License-Identifier: Apache-2.0
// Which types may pass between actors: values that can be copied, and references made for it. Used
// by one check, on its thread; points into its Program.
#pragma once

#include <optional>
#include <set>

#include "lang/vela/check/check.hpp"

namespace gyre::vela::internal {

// The part of a type that cannot be sent, in words, and the field or variant that has it.
struct Obstacle {
    std::string what;
    const Module* module = nullptr;  // null: the type itself
    Span place;
};

class Sendable {
public:
    explicit Sendable(Program& program) : program_(program), types_(program.types) {}

    // Nothing if values of the type can be sent. A function type cannot: its closure may have
    // captured anything.
    [[nodiscard]] std::optional<Obstacle> obstacle(const Type* type);

private:
    std::optional<Obstacle> find(const Type* type);
    std::optional<Obstacle> of_nominal(const Type* type);
    std::optional<Obstacle> of_standard(const Type* type);
    std::optional<Obstacle> of_error(const Type* type);
    std::optional<Obstacle> in_fields(const Type* type);
    std::optional<Obstacle> in_args(const Type* type);

    Program& program_;
    Types& types_;
    std::set<const TypeInfo*> open_;  // being looked at: a recursive type is no obstacle
};

// Whether a type may be the key of a Map or the element of a Set: equatable and immutable.
[[nodiscard]] bool is_key(Types& types, const Type* type);

}  // namespace gyre::vela::internal
