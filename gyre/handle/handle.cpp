// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/handle.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

Handle::~Handle() {
    GYRE_ASSERT(!is_linked(),
                "a handle is freed while it is open: close it, and free it in the close callback");
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
