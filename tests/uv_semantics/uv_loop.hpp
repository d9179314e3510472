// SPDX-License-Identifier: Apache-2.0
// The fixture of the tests about a loop, its hooks and its handles: a loop on each platform.
#pragma once

#include "tests/support/handle_world.hpp"

namespace gyre::handle {

class UvLoop : public testing::TestWithParam<std::string> {
protected:
    test::HandleWorld world{GetParam()};
    PhasedLoop& loop = world.loop();
};

constexpr auto nothing = [](auto&) {};

}  // namespace gyre::handle
