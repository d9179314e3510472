// SPDX-License-Identifier: Apache-2.0
// What the example of gyre/bridge/https takes for granted.
#pragma once

#include <string>

namespace gyre::https_examples {

extern std::string chain;
extern std::string key;

}  // namespace gyre::https_examples
