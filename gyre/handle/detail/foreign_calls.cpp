// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/detail/foreign_calls.hpp"

#include <memory>

#include "gyre/kernel/loop.hpp"

namespace gyre::handle {
namespace {

Link<CallLinks>& links_of(ForeignCall& call) noexcept {
    return call;
}

}  // namespace

// The lock is held over the post: the loop may run the call at once, and must find it in the list;
// a close finds the call either in the list or refused.
bool ForeignCalls::send(Loop& kernel, ForeignCall& call) noexcept {
    const std::lock_guard lock(mutex_);
    const bool has_room = count_ < count_max_;
    if (has_room && kernel.post(call)) {
        in_flight_.push_back(call);
        ++count_;
        return true;
    }
    if (has_room) call.refuse();
    delete &call;
    return has_room;
}

void ForeignCalls::run(ForeignCall& call) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (links_of(call).is_linked()) {
            links_of(call).unlink();
            --count_;
        }
    }
    call.run();
}

// A thread of the parent may have held the mutex, between the post of its call and the entry in the
// list: the call has arrived then, and is not in the list.
void ForeignCalls::renew_after_fork() noexcept {
    std::construct_at(&mutex_);
}

void ForeignCalls::refuse_all() noexcept {
    const std::lock_guard lock(mutex_);
    while (ForeignCall* call = in_flight_.pop_front()) {
        call->refuse();
        delete call;
    }
    count_ = 0;
}

}  // namespace gyre::handle
