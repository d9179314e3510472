// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/handle.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

// A handle made on another thread is enlisted when its start reaches the loop.
Handle::Handle(PhasedLoop& loop, const std::source_location& made_at) noexcept
    : loop_(loop), made_at_(made_at) {
    if (loop.is_here()) loop.made_.push_back(*this);
}

Handle::~Handle() {
    GYRE_ASSERT(!must_be_closed(),
                "a handle is freed while it is open: close it, and free it in the close callback");
    if (is_linked()) unlink();
}

Status Handle::check_open() const noexcept {
    if (is_closing()) return std::unexpected(Error(std::errc::invalid_argument));
    return {};
}

void Handle::submit(gyre::Request& op) noexcept {
    loop_.submit(op, *this);
}

void Handle::cancel(Op& op) noexcept {
    loop_.dispatcher_.cancel(op);
}

Status Handle::submit_now(gyre::Request& op) noexcept {
    return loop_.submit_now(op, *this);
}

bool Handle::withdraw_now(Op& op) noexcept {
    return loop_.dispatcher_.withdraw_now(op);
}

void Handle::close_now(int fd) noexcept {
    loop_.close_now(fd);
}

CallResult<Status> Handle::ref() {
    return call_on_loop([this] { return set_ref(true); });
}

CallResult<Status> Handle::unref() {
    return call_on_loop([this] { return set_ref(false); });
}

Status Handle::set_ref(bool value) noexcept {
    if (value == has_ref()) return {};
    if (has(active)) loop_.active_handles_ += value ? std::size_t{1} : ~std::size_t{0};
    set(unreferenced, !value);
    return {};
}

CallResult<Status> Handle::close(CloseCallback on_closed) {
    return call_on_loop([this, on_closed = std::move(on_closed)]() mutable {
        return close_here(std::move(on_closed));
    });
}

Status Handle::close_here(CloseCallback on_closed) noexcept {
    if (const Status open = check_open(); !open) return open;
    on_close();
    deactivate();
    set(closing, true);
    callback_ = std::move(on_closed);
    set(enlisted, false);
    if (is_linked()) unlink();
    loop_.closing_.push_front(*this);
    ++loop_.closing_handles_;
    return {};
}

void Handle::finish_close() noexcept {
    on_finish();
    set(closing, false);
    set(closed, true);
    callback_.call_last<Handle&>(*this);  // The callback may have freed the handle.
}

}  // namespace gyre::handle
