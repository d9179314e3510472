// SPDX-License-Identifier: Apache-2.0
#include "gyre/platform/internal/system/pieces_calls.hpp"

#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>

#include "gyre/platform/internal/system/io_limits.hpp"
#include "gyre/platform/internal/system/pieces_message.hpp"
#include "gyre/platform/internal/system/system_call.hpp"

namespace gyre::platform {
namespace {

// Blocks SIGPIPE in this thread while it exists: send has a flag against the signal (MSG_NOSIGNAL),
// sendfile has not.
class PipeSignalBlocked {
public:
    PipeSignalBlocked() noexcept {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~PipeSignalBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    PipeSignalBlocked(const PipeSignalBlocked&) = delete;
    PipeSignalBlocked& operator=(const PipeSignalBlocked&) = delete;

    // After EPIPE: the signal is pending on this thread, and is consumed here.
    void take_raised() noexcept {
        if (sigismember(&before_, SIGPIPE) != 0) return;
        const timespec at_once{};
        sigtimedwait(&pipe_, nullptr, &at_once);
    }

private:
    sigset_t pipe_{};
    sigset_t before_{};
};

// The number of bytes sent, or a negative error number.
std::int32_t send_from_file(const SendFileOp& op) noexcept {
    PipeSignalBlocked blocked;
    auto offset = static_cast<off_t>(op.offset);
    const std::size_t size = std::min<std::uint64_t>(op.size_bytes, sent_from_file_max);
    const ssize_t count =
        without_interruption([&] { return ::sendfile(op.fd, op.file, &offset, size); });
    if (count >= 0) return static_cast<std::int32_t>(count);
    const int error = errno;
    if (error == EPIPE) blocked.take_raised();
    return -error;
}

// Sends the bytes before the file's. The number of bytes sent, or a negative error number.
std::int32_t send_before_file(const SendFileOp& op) noexcept {
    const int more = op.size_bytes > 0 ? MSG_MORE : 0;
    const std::size_t size = std::min(op.before.size(), sent_from_file_max);
    const ssize_t count = without_interruption(
        [&] { return ::send(op.fd, op.before.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL | more); });
    return count >= 0 ? static_cast<std::int32_t>(count) : -errno;
}

}  // namespace

Attempt try_send_file(SendFileOp& op, Descriptor& descriptor) noexcept {
    if (!is_offset(op.offset)) return Attempt::done(failure(std::errc::invalid_argument));
    make_non_blocking(descriptor);
    std::int32_t sent = op.before.empty() ? 0 : send_before_file(op);
    const bool is_file_next = sent >= 0 && static_cast<std::size_t>(sent) == op.before.size();
    if (is_file_next && op.size_bytes > 0) {
        const std::int32_t count = send_from_file(op);
        // Bytes already sent are reported first; the error recurs with the next attempt.
        if (count >= 0 || sent == 0) sent = count < 0 ? count : sent + count;
    }
    if (sent >= 0 || !would_block(-sent)) return Attempt::done(sent);
    descriptor.may_write = false;
    return Attempt::blocked();
}

Attempt try_send_pieces(SendPiecesOp& op, Descriptor& descriptor) noexcept {
    PiecesMessage message;
    if (const std::int32_t status = message.prepare(op); status < 0) return Attempt::done(status);
    const ssize_t count = without_interruption(
        [&] { return ::sendmsg(descriptor.fd, message.header(), MSG_DONTWAIT | MSG_NOSIGNAL); });
    if (count >= 0) return Attempt::done(static_cast<std::int32_t>(count));
    if (!would_block(errno)) return Attempt::done(-errno);
    descriptor.may_write = false;
    return Attempt::blocked();
}

Attempt try_receive_passed(ReceivePassedOp& op, Descriptor& descriptor) noexcept {
    PiecesMessage message;
    const ssize_t count = without_interruption([&] {
        message.prepare(op);
        return ::recvmsg(descriptor.fd, message.header(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    });
    if (count >= 0) {
        message.tell(op);
        return Attempt::done(static_cast<std::int32_t>(count));
    }
    if (!would_block(errno)) return Attempt::done(-errno);
    descriptor.may_read = false;
    return Attempt::blocked();
}

}  // namespace gyre::platform
