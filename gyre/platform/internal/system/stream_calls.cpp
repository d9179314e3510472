// SPDX-License-Identifier: Apache-2.0
// Receiving and sending of SystemSockets without waiting.
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/system/pieces_message.hpp"
#include "gyre/platform/internal/system/socket_calls.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

bool can_go_on(Fd fd, short wanted) noexcept {
    pollfd query{fd, wanted, 0};
    return without_interruption([&] { return ::poll(&query, 1, 0); }) > 0;
}

// The non-blocking flag of a pipe or terminal is shared with other processes and must not be
// changed, so these two ask first.
ssize_t read_now(Fd fd, Bytes into) noexcept {
    if (!can_go_on(fd, POLLIN)) {
        errno = EAGAIN;
        return -1;
    }
    return without_interruption(
        [&] { return ::read(fd, into.data(), std::min(into.size(), call_size_max)); });
}

// A ready pipe accepts this much without blocking, in either mode.
ssize_t write_now(Fd fd, ConstBytes piece) noexcept {
    if (!can_go_on(fd, POLLOUT)) {
        errno = EAGAIN;
        return -1;
    }
    return without_interruption(
        [&] { return ::write(fd, piece.data(), std::min<std::size_t>(piece.size(), PIPE_BUF)); });
}

}  // namespace

Result<ReceivedNow> SystemSockets::try_receive(Fd fd, Bytes into, std::span<Fd> room) {
    ReceivedNow received;
    ssize_t count = -1;
    if (room.empty()) {
        count = without_interruption([&] {
            return ::recv(fd, into.data(), std::min(into.size(), call_size_max), MSG_DONTWAIT);
        });
        if (count < 0 && errno == ENOTSOCK) count = read_now(fd, into);
    } else {
        ReceivePassedOp op(fd, into, room);
        PiecesMessage message;
        count = without_interruption([&] {
            message.prepare(op);
            return ::recvmsg(fd, message.header(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        });
        if (count >= 0) message.tell(op);
        for (const Fd passed : room.first(op.passed_count)) forget(passed);
        received.passed_count = op.passed_count;
        received.is_cut_off = op.is_cut_off;
    }
    if (count < 0) return last_error();
    received.size = static_cast<std::size_t>(count);
    return received;
}

Result<std::size_t> SystemSockets::try_send(Fd fd, std::span<const ConstBytes> pieces,
                                            std::span<const Fd> passed) {
    const auto first =
        std::find_if(pieces.begin(), pieces.end(), [](ConstBytes piece) { return !piece.empty(); });
    if (first == pieces.end()) return std::size_t{0};
    const SendPiecesOp op(fd, pieces, passed);
    PiecesMessage message;
    if (const std::int32_t status = message.prepare(op); status < 0) {
        return std::unexpected(Error::of_result(status));
    }
    ssize_t count = without_interruption(
        [&] { return ::sendmsg(fd, message.header(), MSG_DONTWAIT | MSG_NOSIGNAL); });
    if (count < 0 && errno == ENOTSOCK && passed.empty()) count = write_now(fd, *first);
    if (count < 0) return last_error();
    return static_cast<std::size_t>(count);
}

}  // namespace gyre::platform
