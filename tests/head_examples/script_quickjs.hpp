// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/script/quickjs take for granted.
#pragma once

#include "lang/script/quickjs/engine.hpp"
#include "lang/script/script.hpp"
