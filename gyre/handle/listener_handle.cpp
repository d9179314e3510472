// SPDX-License-Identifier: Apache-2.0
#include "gyre/handle/listener_handle.hpp"

#include "gyre/handle/phased_loop.hpp"

namespace gyre::handle {

CallResult<Status> ListenerHandle::listen(const Address& at, ListenOptions options,
                                          OnConnection on_connection) {
    return call_on_loop([this, at, options, on_connection = std::move(on_connection)]() mutable {
        return listen_here(at, options, std::move(on_connection));
    });
}

Status ListenerHandle::listen_here(const Address& at, ListenOptions options,
                                   AnyCallback on_connection) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (fd_ >= 0) return std::unexpected(Error(std::errc::device_or_resource_busy));
    const Result<Fd> made = loop().sockets().listen(at, options);
    if (!made) return std::unexpected(made.error());
    return begin(*made, std::move(on_connection));
}

CallResult<Status> ListenerHandle::open(Fd fd, OnConnection on_connection) {
    return call_on_loop([this, fd, on_connection = std::move(on_connection)]() mutable -> Status {
        if (const Status opened = check_open(); !opened) return opened;
        if (fd_ >= 0) return error(std::errc::device_or_resource_busy);
        if (fd < 0) return error(std::errc::bad_file_descriptor);
        return begin(fd, std::move(on_connection));
    });
}

Status ListenerHandle::begin(Fd fd, AnyCallback on_connection) noexcept {
    fd_ = fd;
    callback_ = std::move(on_connection);
    accept_.fd = fd_;
    submit(accept_);
    activate();
    return {};
}

CallResult<Status> ListenerHandle::accept(StreamHandle& client) {
    return call_on_loop([this, &client] { return accept_here(client); });
}

Status ListenerHandle::accept_here(StreamHandle& client) noexcept {
    if (const Status opened = check_open(); !opened) return opened;
    if (accepted_ < 0) {
        return std::unexpected(Error(std::errc::resource_unavailable_try_again));
    }
    if (const Status taken = client.take_over(accepted_); !taken) return taken;
    accepted_ = -1;
    if (!accept_.is_in_flight()) submit(accept_);
    return {};
}

Result<Address> ListenerHandle::local_address() const {
    if (fd_ < 0) return std::unexpected(Error(std::errc::bad_file_descriptor));
    return loop().sockets().local_address(fd_);
}

void ListenerHandle::on_done(Op& op) noexcept {
    if (&op != &accept_) return;
    if (is_closing()) {
        if (op.result() >= 0) loop().sockets().close_now(op.result());
        return;
    }
    if (op.result() < 0) {
        deactivate();
        callback_.call<ListenerHandle&, Status>(*this,
                                                std::unexpected(Error::of_result(op.result())));
        return;
    }
    accepted_ = op.result();
    callback_.call<ListenerHandle&, Status>(*this, {});
}

void ListenerHandle::on_close() noexcept {
    if (accepted_ >= 0) loop().sockets().close_now(std::exchange(accepted_, -1));
    if (fd_ >= 0) close_now(std::exchange(fd_, -1));
}

}  // namespace gyre::handle
