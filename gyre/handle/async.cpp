// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/async.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

CallResult<Status> Async::start(OnSent on_sent) {
    return call_on_loop([this, on_sent = std::move(on_sent)]() mutable -> Status {
        if (const Status open = check_open(); !open) return open;
        if (is_active()) {
            return std::unexpected(Error(std::errc::connection_already_in_progress));
        }
        callback_ = std::move(on_sent);
        submit(wake_);
        activate();
        return {};
    });
}

}  // namespace gyre::handle
