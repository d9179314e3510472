// SPDX-License-Identifier: Apache-2.0
// The ways to make a value of a type: operators, and every function, method, field and variant of the
// standard surface, read from the checker's own tables. One thread.
#pragma once

#include <string>
#include <vector>

namespace gyre::vela::internal {

// A type. The name of a tuple is "(", that of a function "->" (its result is the last argument), and
// those of type parameters begin with '$'.
struct Shape {
    std::string name;
    std::vector<Shape> args = {};

    friend bool operator==(const Shape&, const Shape&) = default;
    [[nodiscard]] bool is_parameter() const { return name.starts_with('$'); }
    // As a program writes it.
    [[nodiscard]] std::string text() const;
};

// An expression with an @ for each part.
struct Way {
    std::string form;
    std::vector<Shape> parts;
    Shape result;
    bool is_async = false;  // it awaits
};

// All ways, for programs that begin with `surface_prelude`.
[[nodiscard]] const std::vector<Way>& all_ways();

// Types of a program that the ways use: P, E, C, D.
extern const char* const surface_prelude;

}  // namespace gyre::vela::internal
