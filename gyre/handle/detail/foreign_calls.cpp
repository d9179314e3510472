// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/detail/foreign_calls.hpp"

#include "gyre/kernel/loop.hpp"

namespace gyre::handle {
namespace {

Link<CallLinks>& links_of(ForeignCall& call) noexcept {
    return call;
}

}  // namespace

// The lock is held over the post: the loop may run the call at once, and must find it in the list;
// a close finds the call either in the list or refused.
void ForeignCalls::send(Loop& kernel, ForeignCall& call) noexcept {
    const std::lock_guard lock(mutex_);
    if (kernel.post(call)) {
        in_flight_.push_back(call);
        return;
    }
    call.refuse();
    delete &call;
}

void ForeignCalls::run(ForeignCall& call) noexcept {
    {
        const std::lock_guard lock(mutex_);
        links_of(call).unlink();
    }
    call.run();
}

void ForeignCalls::refuse_all() noexcept {
    const std::lock_guard lock(mutex_);
    while (ForeignCall* call = in_flight_.pop_front()) {
        call->refuse();
        delete call;
    }
}

}  // namespace gyre::handle
