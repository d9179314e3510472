// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/internal/carrier.hpp"

#include "gyre/kernel/loop.hpp"

namespace gyre::handle {
namespace {

Link<CarriedLinks>& links_of(CarriedCall& call) noexcept {
    return call;
}

}  // namespace

// Listed before it is posted: from then on the loop may run it at any time. The lock is held over
// the post, so that a close sees the call either in the list or refused.
void Carrier::send(Loop& kernel, CarriedCall& call) noexcept {
    const std::lock_guard lock(mutex_);
    if (kernel.post(call)) {
        under_way_.push_back(call);
        return;
    }
    call.refuse();
    delete &call;
}

void Carrier::run(CarriedCall& call) noexcept {
    {
        const std::lock_guard lock(mutex_);
        links_of(call).unlink();
    }
    call.run();
}

void Carrier::refuse_all() noexcept {
    const std::lock_guard lock(mutex_);
    while (CarriedCall* call = under_way_.pop_front()) {
        call->refuse();
        delete call;
    }
}

}  // namespace gyre::handle
