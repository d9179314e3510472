// SPDX-License-Identifier: Apache-2.0
// What most examples at the heads of public headers take for granted. Nothing in this folder is
// linked: tools/head_examples has the examples compiled only.
#pragma once

#include <array>
#include <csignal>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "gyre/base/log.hpp"
#include "gyre/gyre.hpp"
#include "gyre/io/environment.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/kernel/machine.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
