// SPDX-License-Identifier: Apache-2.0
// Carrier: the calls on their way from foreign threads to a PhasedLoop. Any thread sends; the
// loop's thread runs them, and refuses at the end what the kernel's inbox still had. Part of the
// loop. The kernel's inbox keeps the order and wakes the loop; the list here only remembers what is
// under way.
#pragma once

#include <mutex>

#include "gyre/handle/carried.hpp"

namespace gyre {
class Loop;
}

namespace gyre::handle {

class Carrier {
public:
    void send(Loop& kernel, CarriedCall& call) noexcept;
    // The kernel has delivered it: it is run, not freed.
    void run(CarriedCall& call) noexcept;
    // After the kernel's close.
    void refuse_all() noexcept;

private:
    std::mutex mutex_;
    Queue<CarriedCall, CarriedLinks> under_way_;
};

}  // namespace gyre::handle
