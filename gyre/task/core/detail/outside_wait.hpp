// SPDX-License-Identifier: Apache-2.0
// OutsideWait: the base of waits that another thread may end. Such a wait has no op in flight, so it
// is counted: while the executor counts one, its loop stays alive. Used on the task's own thread.
#pragma once

#include <utility>

#include "gyre/task/core/executor.hpp"

namespace gyre {

class OutsideWait : public Suspension {
protected:
    void begin_outside_wait() noexcept {
        GYRE_ASSERT(!is_counted_, "a wait is counted once: end it before it begins again");
        if (task().is_background()) return;
        is_counted_ = true;
        ++executor().outside_waits_;
    }
    // Does nothing if it was not begun.
    void end_outside_wait() noexcept {
        if (std::exchange(is_counted_, false)) --executor().outside_waits_;
    }

private:
    bool is_counted_ = false;
};

}  // namespace gyre
