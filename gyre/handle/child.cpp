// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/child.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

CallResult<Status> Child::start(int pid, OnEnd on_end) {
    return call_on_loop([this, pid, on_end = std::move(on_end)]() mutable {
        return start_here(pid, std::move(on_end));
    });
}

Status Child::start_here(int pid, OnEnd on_end) noexcept {
    if (const Status open = check_open(); !open) return open;
    if (fd_ >= 0 || close_.is_in_flight()) {
        return std::unexpected(Error(std::errc::device_or_resource_busy));
    }
    const Result<Fd> watched = children_.watch(pid);
    if (!watched) return std::unexpected(watched.error());
    pid_ = pid;
    fd_ = *watched;
    callback_ = std::move(on_end);
    ended_.fd = fd_;
    submit(ended_);
    activate();
    return {};
}

void Child::on_done(Op& op) noexcept {
    if (&op != &ended_ || is_closing()) return;
    loop().late_.push_back(*this);
}

void Child::report() noexcept {
    const std::int32_t result = ended_.result();
    const Result<ChildEnd> end =
        result < 0 ? std::unexpected(Error::of_result(result)) : children_.reap(pid_);
    deactivate();
    close_fd();
    callback_.call<Child&, Result<ChildEnd>>(*this, end);
}

void Child::close_fd() noexcept {
    close_.fd = std::exchange(fd_, -1);
    submit(close_);
}

void Child::on_close() noexcept {
    if (auto& late = static_cast<Link<LateLinks>&>(*this); late.is_linked()) late.unlink();
    if (fd_ >= 0) close_fd();
}

}  // namespace gyre::handle
