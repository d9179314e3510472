// SPDX-License-Identifier: Apache-2.0
// What the examples of lang/script/v8 take for granted.
#pragma once

#include "lang/script/script.hpp"
#include "lang/script/v8/engine.hpp"
