// SPDX-License-Identifier: Apache-2.0
// Signals and polls.
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "compat/uv/internal/descriptor.hpp"
#include "compat/uv/internal/loop_state.hpp"
#include "gyre/handle/fd_poll.hpp"
#include "gyre/handle/signal.hpp"

namespace gyre::uv {
namespace {

class SignalState final : public HandleState {
public:
    SignalState(LoopState& loop, uv_signal_t* uv) noexcept
        : HandleState(loop, as_handle(uv)), signal(loop.phased) {}
    [[nodiscard]] handle::Handle& base() noexcept override { return signal; }

    handle::Signal signal;
};

class PollState final : public HandleState {
public:
    PollState(LoopState& loop, uv_poll_t* uv, int fd) noexcept
        : HandleState(loop, as_handle(uv)), poll(loop.phased, fd) {}
    [[nodiscard]] handle::Handle& base() noexcept override { return poll; }
    void on_close() noexcept override { claim(false); }
    // One active watcher of a descriptor in a loop.
    void claim(bool value) noexcept {
        if (value == has_claim_) return;
        has_claim_ = value;
        Watched::of(loop()).set(poll.fd(), value);
    }

    handle::FdPoll poll;

private:
    bool has_claim_ = false;
};

Events events_of(int wanted) noexcept {
    Events events = Events::none;
    if ((wanted & UV_READABLE) != 0) events = events | Events::readable;
    if ((wanted & UV_WRITABLE) != 0) events = events | Events::writable;
    if ((wanted & UV_DISCONNECT) != 0) events = events | Events::hang_up;
    if ((wanted & UV_PRIORITIZED) != 0) events = events | Events::priority;
    return events;
}

void report(uv_poll_t* handle, int wanted, Result<Events> result) noexcept {
    auto& state = *state_of<PollState>(handle);
    if (!state.poll.is_active() && result) return;
    if (!result || (any(*result & Events::error) && !any(*result & Events::priority))) {
        (void)state.poll.stop();
        state.claim(false);
        handle->poll_cb(handle, result ? UV_EBADF : result.error().as_result(), 0);
        return;
    }
    int events = 0;
    if (any(*result & Events::readable)) events |= UV_READABLE;
    if (any(*result & Events::writable)) events |= UV_WRITABLE;
    if (any(*result & Events::hang_up)) events |= UV_DISCONNECT;
    if (any(*result & Events::priority)) events |= UV_PRIORITIZED;
    events &= wanted;
    if (events != 0) handle->poll_cb(handle, 0, events);
}

int start_signal(uv_signal_t* handle, uv_signal_cb callback, int signum, bool is_once) noexcept {
    const auto again = [=] { (void)start_signal(handle, callback, signum, is_once); };
    if (carry(handle->loop, again)) return 0;
    if (is_closing(as_handle(handle)) || signum == 0) return UV_EINVAL;
    auto& signal = state_of<SignalState>(handle)->signal;
    handle->signal_cb = callback;
    handle->signum = signum;
    const auto call = [handle](handle::Signal&, Result<int> number) {
        if (number) handle->signal_cb(handle, *number);
    };
    const int status =
        result_of(is_once ? signal.start_once(call, signum) : signal.start(call, signum));
    if (status < 0) handle->signum = 0;
    return status;
}

}  // namespace
}  // namespace gyre::uv

int uv_signal_init(uv_loop_t* loop, uv_signal_t* handle) {
    gyre::uv::init_fields(loop, handle, UV_SIGNAL);
    handle->signum = 0;
    handle->signal_cb = nullptr;
    auto* state = new (std::nothrow) gyre::uv::SignalState(gyre::uv::LoopState::of(loop), handle);
    return state == nullptr ? UV_ENOMEM : 0;
}

int uv_signal_start(uv_signal_t* handle, uv_signal_cb signal_cb, int signum) {
    return gyre::uv::start_signal(handle, signal_cb, signum, false);
}

int uv_signal_start_oneshot(uv_signal_t* handle, uv_signal_cb signal_cb, int signum) {
    return gyre::uv::start_signal(handle, signal_cb, signum, true);
}

int uv_signal_stop(uv_signal_t* handle) {
    if (gyre::uv::carry(handle->loop, [=] { (void)uv_signal_stop(handle); })) return 0;
    auto* state = gyre::uv::state_of<gyre::uv::SignalState>(handle);
    if (state == nullptr) return 0;
    handle->signum = 0;
    return gyre::uv::result_of(state->signal.stop());
}

int uv_poll_init(uv_loop_t* loop, uv_poll_t* handle, int fd) {
    auto& state = gyre::uv::LoopState::of(loop);
    if (state.has_watcher(fd)) return UV_EEXIST;
    if (const int status = gyre::uv::check_pollable(loop->backend_fd, fd); status < 0) {
        return status;
    }
    if (const int status = gyre::uv::set_nonblocking(fd, true); status < 0) return status;
    gyre::uv::init_fields(loop, handle, UV_POLL);
    handle->poll_cb = nullptr;
    handle->io_watcher.fd = fd;
    return new (std::nothrow) gyre::uv::PollState(state, handle, fd) == nullptr ? UV_ENOMEM : 0;
}

int uv_poll_init_socket(uv_loop_t* loop, uv_poll_t* handle, uv_os_sock_t socket) {
    return uv_poll_init(loop, handle, socket);
}

int uv_poll_start(uv_poll_t* handle, int events, uv_poll_cb cb) {
    if (gyre::uv::carry(handle->loop, [=] { (void)uv_poll_start(handle, events, cb); })) return 0;
    auto& state = *gyre::uv::state_of<gyre::uv::PollState>(handle);
    if (!state.poll.is_active() && gyre::uv::Watched::of(state.loop()).has(state.poll.fd())) {
        return UV_EEXIST;
    }
    if (events == 0) return uv_poll_stop(handle);
    handle->poll_cb = cb;
    handle->io_watcher.pevents = static_cast<unsigned>(events);
    state.claim(true);
    return gyre::uv::result_of(state.poll.start(
        gyre::uv::events_of(events),
        [handle](gyre::handle::FdPoll&, gyre::Result<gyre::Events> result) {
            gyre::uv::report(handle, static_cast<int>(handle->io_watcher.pevents), result);
        }));
}

int uv_poll_stop(uv_poll_t* handle) {
    if (gyre::uv::carry(handle->loop, [=] { (void)uv_poll_stop(handle); })) return 0;
    auto* state = gyre::uv::state_of<gyre::uv::PollState>(handle);
    if (state == nullptr) return 0;
    state->claim(false);
    return gyre::uv::result_of(state->poll.stop());
}
