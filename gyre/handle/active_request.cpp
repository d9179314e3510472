// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/active_request.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

ActiveRequest::~ActiveRequest() {
    GYRE_ASSERT(!is_active(), "a request is freed before its callback");
}

void ActiveRequest::begin(PhasedLoop& loop) noexcept {
    loop_ = &loop;
    loop.requests_.push_back(*this);
    ++loop.active_requests_;
    if (is_do_not_wait_) ++loop.do_not_wait_count_;
}

void ActiveRequest::end() noexcept {
    static_cast<Link<RequestLinks>&>(*this).unlink();
    --loop_->active_requests_;
    if (is_do_not_wait_) --loop_->do_not_wait_count_;
}

void ActiveRequest::defer() noexcept {
    loop_->pending_.push_back(*this);
}

void ActiveRequest::submit(gyre::Request& op) noexcept {
    loop_->submit(op, *this);
}

void ActiveRequest::cancel(Op& op) noexcept {
    loop_->desk_.cancel(op);
}

}  // namespace gyre::handle
