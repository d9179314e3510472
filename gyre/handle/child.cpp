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
    watch(pid, *watched, std::move(on_end));
    return {};
}

CallResult<Result<SpawnedChild>> Child::spawn(const SpawnPlan& plan, OnEnd on_end) {
    if (loop().is_here()) return spawn_here(plan, std::move(on_end));
    return call_on_loop([this, plan, on_end = std::move(on_end)]() mutable {
        return spawn_here(plan, std::move(on_end));
    });
}

Result<SpawnedChild> Child::spawn_here(const SpawnPlan& plan, OnEnd on_end) {
    if (const Status open = check_open(); !open) return std::unexpected(open.error());
    if (fd_ >= 0 || close_.is_in_flight()) {
        return std::unexpected(Error(std::errc::device_or_resource_busy));
    }
    Result<SpawnedChild> spawned = children_.spawn(plan);
    if (spawned) watch(spawned->pid, std::exchange(spawned->process, -1), std::move(on_end));
    return spawned;
}

void Child::watch(int pid, Fd process, OnEnd on_end) noexcept {
    pid_ = pid;
    fd_ = process;
    callback_ = std::move(on_end);
    ended_.fd = fd_;
    submit(ended_);
    activate();
}

// Until it is reaped the process keeps its number.
CallResult<Status> Child::kill(int signal_number) {
    return call_on_loop([this, signal_number]() -> Status {
        if (fd_ < 0) return error(std::errc::no_such_process);
        return children_.signal(pid_, signal_number, false);
    });
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
