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
        number_ = ++loop().async_count_;
        submit(wake_);
        activate();
        return {};
    });
}

// Sends mostly come in the order of the starts: then the place is found at once.
void Async::on_rung(StandingOp& /*op*/) noexcept {
    auto& sent = static_cast<Link<SentLinks>&>(*this);
    if (!is_active() || sent.is_linked()) return;
    loop().sent_.insert_sorted(
        *this, [](const Async& a, const Async& b) { return a.number_ < b.number_; });
}

void Async::on_close() noexcept {
    if (auto& sent = static_cast<Link<SentLinks>&>(*this); sent.is_linked()) sent.unlink();
    cancel(wake_);
}

}  // namespace gyre::handle
