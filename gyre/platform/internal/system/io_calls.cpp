// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/io_calls.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "gyre/platform/internal/system/datagram_calls.hpp"
#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/system/pieces_calls.hpp"
#include "gyre/platform/internal/system/socket_calls.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

constexpr int transient_failures_max = 16;
constexpr int ring_rounds_max = 4;

bool is_socket(const Descriptor& descriptor) noexcept {
    return descriptor.kind == Descriptor::Kind::stream ||
           descriptor.kind == Descriptor::Kind::other_socket;
}

bool is_ready(Fd fd, short wanted) noexcept {
    pollfd query{fd, wanted, 0};
    return without_interruption([&] { return ::poll(&query, 1, 0); }) > 0;
}

// The non-blocking flag of a pipe or terminal is shared with other processes and must not be
// changed. So poll first: a read from a ready descriptor does not block.
ssize_t read_some(const Descriptor& descriptor, Bytes into) noexcept {
    const std::size_t size = std::min(into.size(), call_size_max);
    if (is_socket(descriptor)) {
        return without_interruption(
            [&] { return ::recv(descriptor.fd, into.data(), size, MSG_DONTWAIT); });
    }
    if (!is_ready(descriptor.fd, POLLIN)) {
        errno = EAGAIN;
        return -1;
    }
    return without_interruption([&] { return ::read(descriptor.fd, into.data(), size); });
}

ssize_t write_some(const Descriptor& descriptor, ConstBytes from) noexcept {
    const std::size_t size = std::min(from.size(), call_size_max);
    if (is_socket(descriptor)) {
        return without_interruption(
            [&] { return ::send(descriptor.fd, from.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL); });
    }
    if (!is_ready(descriptor.fd, POLLOUT)) {
        errno = EAGAIN;
        return -1;
    }
    // A ready pipe accepts this much without blocking, in either mode.
    const std::size_t safe_size = std::min<std::size_t>(size, PIPE_BUF);
    return without_interruption([&] { return ::write(descriptor.fd, from.data(), safe_size); });
}

// Reads, and records whether an edge will precede further data.
ssize_t receive_some(Descriptor& descriptor, Bytes into) noexcept {
    const ssize_t count = read_some(descriptor, into);
    if (count < 0) {
        if (would_block(errno)) descriptor.may_read = false;
        return count;
    }
    // A stream that returned less than requested is empty. Later data makes an edge, which saves
    // the call that would return EAGAIN; an end of stream that was reported by an edge already
    // makes no further edge.
    const bool is_empty = static_cast<std::size_t>(count) < into.size() &&
                          descriptor.kind == Descriptor::Kind::stream;
    if (is_empty && count > 0 && descriptor.is_registered && !descriptor.has_ended) {
        descriptor.may_read = false;
    }
    return count;
}

// Calls connect again: the system then reports the result of the first one. Without this call the
// next connect on this socket, to whatever address, would report it instead.
Attempt finished_connect(const SystemAddress& to, Descriptor& descriptor) noexcept {
    if (!is_ready(descriptor.fd, POLLOUT)) {
        descriptor.may_write = false;
        return Attempt::blocked();
    }
    descriptor.is_connecting = false;
    const bool is_connected =
        ::connect(descriptor.fd, to.data(), to.size()) == 0 || errno == EISCONN;
    return Attempt::done(is_connected ? 0 : -errno);
}

}  // namespace

void examine(Descriptor& descriptor) noexcept {
    if (descriptor.kind != Descriptor::Kind::unknown) return;
    int type = 0;
    socklen_t size = sizeof type;
    if (::getsockopt(descriptor.fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0) {
        // A number that is no open descriptor stays unknown: it may be one the next time.
        if (errno != EBADF) descriptor.kind = Descriptor::Kind::not_a_socket;
        return;
    }
    descriptor.kind =
        type == SOCK_STREAM ? Descriptor::Kind::stream : Descriptor::Kind::other_socket;
}

void make_non_blocking(Descriptor& descriptor) noexcept {
    if (descriptor.is_non_blocking) return;
    const int flags = ::fcntl(descriptor.fd, F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK) == 0) {
        ::fcntl(descriptor.fd, F_SETFL, flags | O_NONBLOCK);
    }
    descriptor.is_non_blocking = true;
}

Attempt try_accept(AcceptOp& op, Descriptor& descriptor) noexcept {
    make_non_blocking(descriptor);
    for (int failures = 0; failures < transient_failures_max; ++failures) {
        SystemAddress from;
        const int fd = without_interruption([&] {
            return ::accept4(descriptor.fd, from.data(), from.room(), SOCK_NONBLOCK | SOCK_CLOEXEC);
        });
        if (fd >= 0) {
            op.peer = from.to_address();
            return Attempt::done(fd);
        }
        if (would_block(errno)) {
            descriptor.may_read = false;
            return Attempt::blocked();
        }
        if (lacks_resources(errno)) return Attempt::starved();
        if (!concerns_one_connection(errno)) return Attempt::done(-errno);
    }
    return Attempt::again();
}

Attempt try_connect(ConnectOp& op, Descriptor& descriptor) noexcept {
    const Result<SystemAddress> to = SystemAddress::of(op.to);
    if (!to) return Attempt::done(to.error().as_result());
    if (descriptor.is_connecting) return finished_connect(*to, descriptor);
    make_non_blocking(descriptor);
    if (::connect(descriptor.fd, to->data(), to->size()) == 0) return Attempt::done(0);
    // Interrupted or not, the connect continues in the background.
    if (errno == EINPROGRESS || errno == EINTR) {
        descriptor.is_connecting = true;
        descriptor.may_write = false;
        return Attempt::blocked();
    }
    // A Unix listener with a full backlog: no event reports when there is room.
    if (would_block(errno)) return Attempt::starved();
    return Attempt::done(-errno);
}

void abandon_connect(Fd fd) noexcept {
    sockaddr nobody{};
    nobody.sa_family = AF_UNSPEC;
    ::connect(fd, &nobody, sizeof nobody);
}

Attempt try_receive(ReceiveOp& op, Descriptor& descriptor) noexcept {
    const ssize_t count = receive_some(descriptor, op.buffer);
    if (count >= 0) return Attempt::done(static_cast<std::int32_t>(count));
    return would_block(errno) ? Attempt::blocked() : Attempt::done(-errno);
}

Attempt try_send(SendOp& op, Descriptor& descriptor) noexcept {
    const ssize_t count = write_some(descriptor, op.buffer);
    if (count >= 0) return Attempt::done(static_cast<std::int32_t>(count));
    if (would_block(errno)) {
        descriptor.may_write = false;
        return Attempt::blocked();
    }
    return Attempt::done(-errno);
}

void count_received(ReceiveRingOp& op, std::size_t size, std::size_t lost) noexcept {
    op.stats.received_bytes += size;
    op.stats.lost_bytes += lost;
    if (lost > 0) ++op.stats.overflows;
}

Attempt try_receive_ring(ReceiveRingOp& op, Descriptor& descriptor, Bytes scratch) noexcept {
    for (int round = 0; round < ring_rounds_max; ++round) {
        const ssize_t count = receive_some(descriptor, scratch);
        if (count < 0) return would_block(errno) ? Attempt::blocked() : Attempt::done(-errno);
        if (count == 0) return Attempt::done(0);
        const auto size = static_cast<std::size_t>(count);
        count_received(op, size, op.ring->write(scratch.first(size), op.overflow));
        if (!descriptor.may_read) return Attempt::blocked();
    }
    return Attempt::again();
}

bool concerns_one_connection(int error) noexcept {
    switch (error) {
        case ECONNABORTED:
        case EPROTO:
        case ENETDOWN:
        case ENOPROTOOPT:
        case EHOSTDOWN:
        case ENONET:
        case EHOSTUNREACH:
        case ENETUNREACH:
        case EPERM:  // refused by a firewall
            return true;
        default:
            return false;
    }
}

bool lacks_resources(int error) noexcept {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

bool may_starve(OpCode code) noexcept {
    return code == IoCode::accept || code == IoCode::connect || code == IoCode::send_to;
}

short poll_mask_of(Events wanted) noexcept {
    int mask = POLLRDHUP;
    if (any(wanted & Events::readable)) mask |= POLLIN | POLLPRI;
    if (any(wanted & Events::writable)) mask |= POLLOUT;
    if (any(wanted & Events::priority)) mask |= POLLPRI;
    return static_cast<short>(mask);
}

Events events_of_mask(int mask) noexcept {
    Events events = Events::none;
    if ((mask & (POLLIN | POLLPRI)) != 0) events = events | Events::readable;
    if ((mask & POLLPRI) != 0) events = events | Events::priority;
    if ((mask & POLLOUT) != 0) events = events | Events::writable;
    if ((mask & (POLLHUP | POLLRDHUP)) != 0) events = events | Events::hang_up;
    if ((mask & POLLERR) != 0) events = events | Events::error;
    return events;
}

Result<Events> ready_events(Fd fd, Events wanted) noexcept {
    pollfd query{fd, poll_mask_of(wanted), 0};
    if (without_interruption([&] { return ::poll(&query, 1, 0); }) < 0) {
        return std::unexpected(Error(static_cast<std::errc>(errno)));
    }
    if ((query.revents & POLLNVAL) != 0) {
        return std::unexpected(Error(std::errc::bad_file_descriptor));
    }
    return events_of_mask(query.revents);
}

Attempt try_op(Op& op, Descriptor& descriptor) noexcept {
    switch (io_code(op)) {
        case IoCode::accept:
            return try_accept(static_cast<AcceptOp&>(op), descriptor);
        case IoCode::connect:
            return try_connect(static_cast<ConnectOp&>(op), descriptor);
        case IoCode::receive:
            return try_receive(static_cast<ReceiveOp&>(op), descriptor);
        case IoCode::send:
            return try_send(static_cast<SendOp&>(op), descriptor);
        case IoCode::receive_from:
            return try_receive_from(static_cast<ReceiveFromOp&>(op), descriptor);
        case IoCode::send_to:
            return try_send_to(static_cast<SendToOp&>(op), descriptor);
        case IoCode::send_pieces:
            return try_send_pieces(static_cast<SendPiecesOp&>(op), descriptor);
        case IoCode::send_file:
            return try_send_file(static_cast<SendFileOp&>(op), descriptor);
        case IoCode::receive_passed:
            return try_receive_passed(static_cast<ReceivePassedOp&>(op), descriptor);
        default:
            return Attempt::done(failure(std::errc::function_not_supported));
    }
}

}  // namespace gyre::platform
