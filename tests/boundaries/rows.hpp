// SPDX-License-Identifier: Apache-2.0
// The places where functions of the user are called: one row each, as in docs/guide/failures.md.
#pragma once

#include <span>
#include <string>

#include "tests/boundaries/thrown.hpp"

namespace gyre::test {

struct BoundaryRow {
    const char* place;
    const char* failure;  // what a failure does: std, not std, bad_alloc, of a destructor, foreign
    const char* own_cancel;  // what a cancel of the task itself does
    // Throws there once, and tells what happened. Fails a test if anything beside it was affected.
    std::string (*outcome)(const char* platform, Thrown thrown);
};

[[nodiscard]] std::span<const BoundaryRow> boundary_rows();

}  // namespace gyre::test
