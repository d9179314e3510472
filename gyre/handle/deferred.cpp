// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/deferred.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

Carried<Status> Deferred::start(PhasedLoop& loop, OnPending on_pending) {
    return loop.call([this, &loop, on_pending = std::move(on_pending)]() mutable -> Status {
        if (is_active()) return std::unexpected(Error(std::errc::invalid_argument));
        callback_ = std::move(on_pending);
        begin(loop);
        defer();
        return {};
    });
}

void Deferred::on_pending() noexcept {
    end();
    callback_.call_last<Deferred&>(*this);
}

}  // namespace gyre::handle
