// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/op_request.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

Status OpRequest::start(PhasedLoop& loop, gyre::Request& op, OnDone on_done) noexcept {
    if (is_active()) return std::unexpected(Error(std::errc::invalid_argument));
    op_ = &op;
    callback_ = std::move(on_done);
    begin(loop);
    submit(op);
    return {};
}

Status OpRequest::cancel() noexcept {
    if (!is_active()) return std::unexpected(Error(std::errc::invalid_argument));
    ActiveRequest::cancel(*op_);
    return {};
}

void OpRequest::on_done(Op& op) noexcept {
    end();
    callback_.call_last<OpRequest&, std::int32_t>(*this, op.result());
}

}  // namespace gyre::handle
