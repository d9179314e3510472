// SPDX-License-Identifier: Apache-2.0
// What the examples of gyre/app take for granted.
#pragma once

#include "gyre/app/run.hpp"
#include "gyre/app/runtime.hpp"
#include "gyre/task/core/sleep.hpp"

namespace gyre::app_examples {

extern decltype(RuntimeOptions::make_platform) make;
extern decltype(RuntimeOptions::make_app) make_app;

extern Machine& machine;

}  // namespace gyre::app_examples
