// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/app take for granted.
#pragma once

#include "gyre/app/runtime.hpp"

namespace gyre::app_examples {

extern decltype(RuntimeOptions::make_platform) make;
extern decltype(RuntimeOptions::make_app) make_app;

}  // namespace gyre::app_examples
