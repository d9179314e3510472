// SPDX-License-Identifier: Apache-2.0
// For tests of tasks: its destructor fails if frames or tasks made after it still exist. Construct
// it first, on the test's thread.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "gyre/task/core/detail/frame_pool.hpp"

namespace gyre {

class FrameCheck {
public:
    FrameCheck() = default;
    FrameCheck(const FrameCheck&) = delete;
    FrameCheck& operator=(const FrameCheck&) = delete;
    ~FrameCheck() { EXPECT_EQ(FramePool::live_count(), before_) << "frames are left"; }

private:
    const std::int64_t before_ = FramePool::live_count();
};

}  // namespace gyre
