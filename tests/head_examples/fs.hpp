// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/fs take for granted.
#pragma once

#include "gyre/io/permissions.hpp"
#include "tests/head_examples/common.hpp"

namespace gyre::fs_examples {

extern Permissions permissions;

}  // namespace gyre::fs_examples
