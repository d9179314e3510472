// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/hook.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

CallResult<Status> Hook::start_hook(AnyCallback callback) {
    return call_on_loop([this, callback = std::move(callback)]() mutable -> Status {
        if (const Status open = check_open(); !open) return open;
        if (!callback) return std::unexpected(Error(std::errc::invalid_argument));
        if (is_active()) return {};
        callback_ = std::move(callback);
        switch (phase()) {
            case Phase::idle:
                loop().idles_.push_front(*this);
                break;
            case Phase::prepare:
                loop().prepares_.push_front(*this);
                break;
            case Phase::check:
                loop().checks_.push_front(*this);
                break;
        }
        activate();
        return {};
    });
}

CallResult<Status> Hook::stop() {
    return call_on_loop([this] { stop_here(); });
}

void Hook::stop_here() noexcept {
    if (!is_active()) return;
    static_cast<Link<HookLinks>&>(*this).unlink();
    deactivate();
}

}  // namespace gyre::handle
