// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/tls take for granted.
#pragma once

#include "tests/head_examples/common.hpp"
